// Packs rows of float32 as bf16 or fp16 on armv8: kStep elements of each row in
// turn, zeros behind the last.
// SPDX-License-Identifier: Apache-2.0
//
// With kStep = 4 and two rows of 6 elements in one segment:
//
//   r0: 0 1 2 3 | r1: 0 1 2 3 | r0: 4 5 0 0 | r1: 4 5 0 0
//
// Included by the packing of bf16 (kStep 4) and of fp16 (kStep 8).
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_PACK_ARM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_PACK_ARM_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Packs rows as [ceil(depth / kStep)][tile_rows][kStep] elements of type T.
// Round::Run<kStep>(from, to) rounds kStep floats to T. A step of all rows
// takes the space of `tile_rows` rows. If tile_rows is more than m, the rows
// from m on are left unwritten: the micro-kernel multiplies whatever is there,
// and does not store the results. Returns the end of the packed rows, including
// unwritten ones.
//
// The segments of a row are packed as one run. A step within a segment is
// rounded from the row itself; a step that spans segments, and an incomplete
// last step, are gathered first.
template <typename Round, size_t kStep, typename T>
T* PackRows(GemmUnpackedOf<float> rows, size_t tile_rows, T* to) {
  for (size_t i = 0; i < rows->m; ++i) {
    const float* row = rows.row(i);
    T* step = to + i * kStep;
    float rest[kStep];  // a step that spans segments, or the last one
    size_t at = 0;
    for (size_t s = 0; s < rows->segments; ++s, row += rows->segment_stride) {
      size_t k = 0;
      while (k < rows->k) {
        if (at == 0) {
          for (; k + kStep <= rows->k; k += kStep, step += tile_rows * kStep) {
            Round::template Run<kStep>(row + k, step);
          }
          if (k == rows->k) break;
        }
        rest[at++] = row[k++];
        if (at < kStep) continue;
        Round::template Run<kStep>(rest, step);
        step += tile_rows * kStep;
        at = 0;
      }
    }
    if (at == 0) continue;
    while (at < kStep) rest[at++] = 0;
    Round::template Run<kStep>(rest, step);
  }
  const size_t depth = rows->k * rows->segments;
  return to + (depth + kStep - 1) / kStep * kStep * tile_rows;
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_PACK_ARM_H_
