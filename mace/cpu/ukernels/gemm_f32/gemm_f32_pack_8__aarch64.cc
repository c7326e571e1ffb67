// Packs up to 8 rows of a for the 8x8 tile: for each k, an element of each row.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm_f32/gemm_f32.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 8;

inline float32x4_t Low(float32x4_t a, float32x4_t b) {
  return vzip1q_f32(a, b);
}
inline float32x4_t High(float32x4_t a, float32x4_t b) {
  return vzip2q_f32(a, b);
}

// Two rows of k: pairs of a's rows, interleaved while they are stored.
inline void StorePairs(float32x4_t a, float32x4_t b, float32x4_t c,
                       float32x4_t d, float* to) {
  const float64x2x4_t pairs = {
      {vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b),
       vreinterpretq_f64_f32(c), vreinterpretq_f64_f32(d)}};
  vst4q_f64(reinterpret_cast<double*>(to), pairs);
}

}  // namespace

void gemm_f32_pack_8__aarch64(const GemmF32Rows& rows, float* to) {
  const float* segment = rows.a;
  for (size_t s = 0; s < rows.segments; ++s, segment += rows.segment_stride) {
    // Rows that are not there repeat the last: no tile writes what they yield.
    const float* row[kRows];
    for (size_t i = 0; i < kRows; ++i) {
      row[i] = segment + (i < rows.m ? i : rows.m - 1) * rows.a_stride;
    }
    size_t k = 0;
    for (; k + 4 <= rows.k; k += 4, to += 4 * kRows) {
      float32x4_t v[kRows];
#pragma GCC unroll 8
      for (size_t i = 0; i < kRows; ++i) v[i] = vld1q_f32(row[i] + k);
      StorePairs(Low(v[0], v[1]), Low(v[2], v[3]), Low(v[4], v[5]),
                 Low(v[6], v[7]), to);
      StorePairs(High(v[0], v[1]), High(v[2], v[3]), High(v[4], v[5]),
                 High(v[6], v[7]), to + 2 * kRows);
    }
    for (; k < rows.k; ++k, to += kRows) {
#pragma GCC unroll 8
      for (size_t i = 0; i < kRows; ++i) to[i] = row[i][k];
    }
  }
}

}  // namespace mace::cpu
