// The implementation of the peak micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,avx512,neon}.cc, which define peak_f32__* as
// kPeak.
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_F32_LOOP_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_F32_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/peak/peak_f32.h"

namespace mace::cpu {
namespace {

// Independent sums. A sum waits for its last multiply-add, so that two units
// with a latency of five cycles need ten; and twelve, with both factors, fit
// into 16 registers.
constexpr int kSums = 12;

// Keeps the compiler from merging sums that are equal: as far as it knows, the
// empty assembly may change the register.
inline void Touch(simd::F32& sum) {
#if defined(__ARM_NEON)
  asm volatile("" : "+w"(sum));
#else
  asm volatile("" : "+v"(sum));
#endif
}

// PeakF32Set::multiply_add: kSums independent instructions for each round.
float MultiplyAdd(size_t rounds, float factor, float term) {
  using namespace simd;
  const F32 f = Set1(factor), t = Set1(term);
  F32 sums[kSums];
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) sums[i] = Set1(1);
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) {
      sums[i] = MulAdd(sums[i], f, t);
      Touch(sums[i]);
    }
  }
  float total = 0;
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) total += Sum(sums[i]);
  return total;
}

// PeakF32Set::triad, with ordinary stores, as the kernels of ops have.
void Triad(size_t n, const float* a, const float* b, float factor, float* y) {
  using namespace simd;
  const F32 f = Set1(factor);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Store(y + i, MulAdd(Load(b + i), f, Load(a + i)));
  }
  if (i < n) {
    StoreN(y + i, MulAdd(LoadN(b + i, n - i), f, LoadN(a + i, n - i)), n - i);
  }
}

// PeakF32Set::read. Four sums hide the latency of additions. The prefetch, 2
// KiB ahead, may be of addresses behind the end of `a`: it is not an access.
float Read(size_t n, const float* a) {
  using namespace simd;
  constexpr size_t kPiece = 4 * kLanes;
  F32 sums[4] = {Set1(0), Set1(0), Set1(0), Set1(0)};
  size_t i = 0;
  for (; i + kPiece <= n; i += kPiece) {
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; ++k) {
#if defined(__x86_64__)
      __builtin_prefetch(a + i + k * kLanes + 512);
#endif
      sums[k] = sums[k] + Load(a + i + k * kLanes);
    }
  }
  float total = Sum(sums[0] + sums[1] + sums[2] + sums[3]);
  for (; i < n; ++i) total += a[i];
  return total;
}

// The set of the instruction set for which the including file is compiled.
constexpr PeakF32Set kPeak = {kSums * simd::kLanes, MultiplyAdd, Triad, Read};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_F32_LOOP_H_
