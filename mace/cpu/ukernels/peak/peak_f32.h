// f32 micro-kernels that do only what limits a machine: multiply-adds between
// registers, and streams through memory.
// SPDX-License-Identifier: Apache-2.0
//
// MeasureLimits (mace/cpu/common/machine_limits.h) times them to find the
// limits with which profiles and benchmarks compare. No op calls them. They
// keep no state, and each thread of a measurement writes memory of its own.
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_

#include <cstddef>

namespace mace::cpu {

// The functions of one instruction set.
struct PeakF32Set {
  // Multiply-adds in one round, each of which counts as two operations.
  size_t fmas_per_round;
  // Repeats s = s * factor + term from s = 1, on as many sums at once as it
  // takes to keep all units busy. Returns the total of these fmas_per_round
  // sums, which must be used, or compilers may remove the call. Choose factor
  // and term so that s stays a normal number: with 0.5 and 0.5, it stays 1.
  float (*multiply_add)(size_t rounds, float factor, float term);
  // y = a + factor * b for n elements, with 12 bytes of traffic for each. (CPUs
  // that read a line of memory before they write it move 4 more, which are not
  // counted.) To measure memory, pass arrays larger than the caches. y overlaps
  // neither a nor b.
  void (*triad)(size_t n, const float* a, const float* b, float factor,
                float* y);
  // Returns the sum of n floats, with 4 bytes of traffic for each. A CPU may
  // read faster than a triad moves data.
  float (*read)(size_t n, const float* a);
};

extern const PeakF32Set peak_f32__scalar, peak_f32__avx2, peak_f32__avx512,
    peak_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_
