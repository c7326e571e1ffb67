// Packs up to 8 rows of a for the 8x8 tile: four k of each row in turn.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// A row as one run of floats, although it consists of segments.
struct Position {
  size_t k;        // within the segment
  ptrdiff_t base;  // start of the segment
  ptrdiff_t Next(GemmUnpackedOf<float> rows) {
    const ptrdiff_t at = base + static_cast<ptrdiff_t>(k);
    if (++k == rows->k) {
      k = 0;
      base += rows->segment_stride;
    }
    return at;
  }
};

template <int kRows>
float* Pack(GemmUnpackedOf<float> rows, float* to) {
  // Rows that do not exist repeat the last one; no tile writes their results.
  const float* row[kRows];
  for (size_t i = 0; i < kRows; ++i) {
    row[i] = rows.row(i < rows->m ? i : rows->m - 1);
  }
  const size_t k = rows->k;
  Position p = {0, 0};
  size_t left = rows->segments * rows->k;
  while (left >= 4) {
    for (; p.k + 4 <= k; p.k += 4, left -= 4, to += 4 * kRows) {
      const float* const* from = row;
      const ptrdiff_t at = p.base + static_cast<ptrdiff_t>(p.k);
#pragma GCC unroll 2
      for (int i = 0; i < kRows; i += 4, from += 4) {
        const float32x4x4_t v = {
            {vld1q_f32(from[0] + at), vld1q_f32(from[1] + at),
             vld1q_f32(from[2] + at), vld1q_f32(from[3] + at)}};
        vst1q_f32_x4(to + 4 * i, v);
      }
    }
    if (p.k == k) {
      p = {0, p.base + rows->segment_stride};
    } else if (left >= 4) {  // the end of a segment and the start of the next
      for (int j = 0; j < 4; ++j) {
        const ptrdiff_t at = p.Next(rows);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) to[4 * i + j] = row[i][at];
      }
      left -= 4;
      to += 4 * kRows;
    }
  }
  for (; left > 0; --left, to += kRows) {
    const ptrdiff_t at = p.Next(rows);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) to[i] = row[i][at];
  }
  return to;
}

}  // namespace

float* gemm_f32_pack_8__aarch64(GemmUnpackedOf<float> rows, float* to) {
  return rows->m > 4 ? Pack<8>(rows, to) : Pack<4>(rows, to);
}

}  // namespace mace::cpu
