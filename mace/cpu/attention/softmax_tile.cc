// The softmax of tiles of scores.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/attention/softmax_tile.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTileLanes = 8;  // that a compiler makes vectors of

// Returns the largest of n numbers and `most`; NaNs count as small.
float LargestOf(const float* x, int64_t n, float most) {
  float lanes[kTileLanes];
  std::fill_n(lanes, kTileLanes, most);
  int64_t i = 0;
  for (; i + kTileLanes <= n; i += kTileLanes) {
    for (int64_t k = 0; k < kTileLanes; ++k) {
      lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
    }
  }
  for (; i < n; ++i) lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  return *std::max_element(lanes, lanes + kTileLanes);
}

float SumOf(const float* x, int64_t n) {
  float lanes[kTileLanes] = {};
  int64_t i = 0;
  for (; i + kTileLanes <= n; i += kTileLanes) {
    for (int64_t k = 0; k < kTileLanes; ++k) lanes[k] += x[i + k];
  }
  for (; i < n; ++i) lanes[0] += x[i];
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

}  // namespace

SoftmaxTile::SoftmaxTile(CpuFeatures features)
    : set_(ChooseRow(kRowF32, features).set) {}

float SoftmaxTile::Add(float* row, int64_t n, float* most, float* sum) const {
  const float now = LargestOf(row, n, *most);
  if (now == -INFINITY && std::isinf(SumOf(row, n))) {  // no key counts
    std::fill_n(row, n, 0.0f);
    return 1;
  }
  float scale = 1;
  if (now != *most) {
    scale = std::exp(*most - now);
    *sum *= scale;
    *most = now;
  }
  for (int64_t i = 0; i < n; ++i) row[i] -= now;
  set_->exp({static_cast<size_t>(n), row, row});
  *sum += SumOf(row, n);
  return scale;
}

}  // namespace mace::cpu
