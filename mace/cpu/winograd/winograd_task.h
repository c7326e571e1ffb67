// A task of a Winograd convolution. For the files of class Winograd only.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_WINOGRAD_WINOGRAD_TASK_H_
#define MACE_CPU_WINOGRAD_WINOGRAD_TASK_H_

#include "mace/cpu/winograd/winograd.h"

namespace mace::cpu {

inline constexpr int kWinogradMaxLines = 8;     // lines of an input tile
inline constexpr int kWinogradMaxColumns = 64;  // columns of a GEMM tile

// The operands of the whole convolution; v and m are parts of the worker's
// scratch. Tiles [tile_begin, tile_end) count through all images, columns
// [column_begin, column_end) are output channels and begin with a panel.
struct Winograd::Task {
  const float* x;
  const float* packed;
  const float* bias;
  float* y;
  float* v;
  float* m;
  int64_t tile_begin, tile_end;
  int64_t column_begin, column_end;
  int64_t tiles() const { return tile_end - tile_begin; }
};

}  // namespace mace::cpu

#endif  // MACE_CPU_WINOGRAD_WINOGRAD_TASK_H_
