// SoftmaxTile: exponentials of scores that are computed tile by tile, beside
// the largest score and the sum so far (Milakov and Gimelshein 2018, "Online
// normalizer calculation for softmax").
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_ATTENTION_SOFTMAX_TILE_H_
#define MACE_CPU_ATTENTION_SOFTMAX_TILE_H_

#include <cstdint>

#include "mace/base/cpu_features.h"
#include "mace/cpu/ukernels/row/row_f32.h"

namespace mace::cpu {

class SoftmaxTile {
 public:
  SoftmaxTile() = default;
  explicit SoftmaxTile(CpuFeatures features);

  // Makes exponentials of n scores, and updates the largest score and the sum.
  // Returns the factor by which what was added up before must be scaled.
  float Add(float* row, int64_t n, float* most, float* sum) const;

 private:
  const RowF32Set* set_ = nullptr;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_ATTENTION_SOFTMAX_TILE_H_
