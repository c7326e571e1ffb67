// The implementation of the matrix-vector micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__scalar.cc, simd__avx2.cc, simd__avx512.cc and
// simd__neon.cc, whose compiler flags choose the vectors. A step of four rows:
//
//               x0           x1           two vectors of x
//   row 0   even[0] +=   odd[0] +=        w * x, each in a vector of sums
//   row 1   even[1] +=   odd[1] +=        (8 in all)
//   ...
//
// In the end, a row's two vectors are added to each other, and then their
// lanes.
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_F32_ROWS_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_F32_ROWS_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemv/gemv_f32.h"

namespace mace::cpu {
namespace {

// Prefetches the two vectors that are `ahead` floats after w: they come from
// memory, and the CPU itself prefetches no further than the next page. Harmless
// beyond the end of w. Does nothing on Arm.
inline void PrefetchAhead(const float* w, size_t ahead) {
#if defined(__x86_64__)
  constexpr size_t kLineFloats = 16;
#pragma GCC unroll 2
  for (size_t i = 0; i < 2 * simd::kLanes; i += kLineFloats) {
    __builtin_prefetch(w + ahead + i);
  }
#else
  static_cast<void>(w);
  static_cast<void>(ahead);
#endif
}

// Computes rows [first, first + kRows), for which x is loaded once. Each row
// has two sums, because each addition to a single one would wait for the one
// before. The columns behind the last whole pair of vectors are added to the
// even sums; nothing behind column k is read. Each step prefetches the same
// columns of the next kRows rows.
template <int kRows>
inline void GemvBlock(const GemvF32Rows& t, size_t first) {
  using namespace simd;
  const float* w = t.w + first * t.k;
  F32 even[kRows], odd[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) even[r] = odd[r] = Set1(0);
  size_t k = 0;
  for (; k + 2 * kLanes <= t.k; k += 2 * kLanes) {
    const F32 x0 = Load(t.x + k), x1 = Load(t.x + k + kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      PrefetchAhead(w + r * t.k + k, kRows * t.k);
      even[r] = MulAdd(x0, Load(w + r * t.k + k), even[r]);
      odd[r] = MulAdd(x1, Load(w + r * t.k + k + kLanes), odd[r]);
    }
  }
  for (; k < t.k; k += kLanes) {
    const size_t left = t.k - k < kLanes ? t.k - k : kLanes;
    const F32 x = LoadN(t.x + k, left);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      even[r] = MulAdd(x, LoadN(w + r * t.k + k, left), even[r]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    float y = Sum(even[r] + odd[r]);
    if (t.bias != nullptr) y += t.bias[first + r];
    y = y < t.lower ? t.lower : y;
    t.y[first + r] = y > t.upper ? t.upper : y;
  }
}

// The body of a GemvF32Fn. The last n % 4 rows are computed one by one.
void Gemv(const GemvF32Rows& t) {
  size_t row = 0;
  for (; row + 4 <= t.n; row += 4) GemvBlock<4>(t, row);
  for (; row < t.n; ++row) GemvBlock<1>(t, row);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_F32_ROWS_H_
