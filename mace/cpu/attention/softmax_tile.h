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

// Of tiles 1, 2, ... of a row of scores, y = sum of exp(score) * value is kept
// up to date as follows: `most` and `sum` begin with -inf and 0, and y with 0;
// for each tile, y is scaled by what Add returns, and then the tile's values,
// times its exponentials, are added. At the end y / sum is the result.
class SoftmaxTile {
 public:
  SoftmaxTile() = default;
  explicit SoftmaxTile(CpuFeatures features);

  // Replaces n scores by exp(score - *most) after raising `*most` to the
  // largest of them, and updates `*sum`. Returns the factor by which what was
  // added up before must be scaled. Scores of -inf become 0. If all are and
  // `*most` is -inf, `*most` and `*sum` stay as they are and the factor is 1.
  // NaN spreads to the sum. REQUIRES: not default-constructed.
  float Add(float* row, int64_t n, float* most, float* sum) const;

 private:
  const RowF32Set* set_ = nullptr;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_ATTENTION_SOFTMAX_TILE_H_
