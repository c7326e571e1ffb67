// The softmax of tiles of scores.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/attention/softmax_tile.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

bool HasNan(const float* x, int64_t n) {
  return std::any_of(x, x + n, [](float v) { return std::isnan(v); });
}

}  // namespace

SoftmaxTile::SoftmaxTile(CpuFeatures features)
    : set_(ChooseRow(kRowF32, features).set) {}

float SoftmaxTile::Add(float* row, int64_t n, float* most, float* sum) const {
  const auto count = static_cast<size_t>(n);
  const float now = set_->largest(count, row, *most);
  if (now == -INFINITY && !HasNan(row, n)) {  // no key counts
    std::fill_n(row, n, 0.0f);
    return 1;
  }
  float scale = 1;
  if (now != *most) {
    scale = std::exp(*most - now);
    *sum *= scale;
    *most = now;
  }
  *sum += set_->exp_sum(count, row, now);
  return scale;
}

}  // namespace mace::cpu
