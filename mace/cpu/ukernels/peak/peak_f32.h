// f32 micro-kernels that do only what limits a machine: multiply-adds between
// registers, and streams through memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_

#include <cstddef>

namespace mace::cpu {

struct PeakF32Set {
  // Multiply-adds in one round.
  size_t fmas_per_round;
  // Repeats s = s * factor + term from s = 1, on as many sums at once as it
  // takes to keep all units busy. Returns the total of these fmas_per_round
  // sums.
  float (*multiply_add)(size_t rounds, float factor, float term);
  // y = a + factor * b, with 12 bytes of traffic for each element.
  void (*triad)(size_t n, const float* a, const float* b, float factor,
                float* y);
  // Returns the sum of n floats, which it reads from memory.
  float (*read)(size_t n, const float* a);
};

extern const PeakF32Set peak_f32__scalar, peak_f32__avx2, peak_f32__avx512,
    peak_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_F32_H_
