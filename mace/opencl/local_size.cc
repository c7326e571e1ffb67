// A model-driven choice of group sizes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/local_size.h"

#include <algorithm>

namespace mace::opencl {
namespace {

// Items of a group: one or two waves of the mobile GPUs (Adreno 64 or 128
// items, Mali 4 to 16 per warp and up to 64 useful).
constexpr size_t kItems = 128;

size_t PowerOfTwoFrom(size_t n) {
  size_t p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

Grid ChooseLocalSize(const Grid& global, size_t max_items,
                     const DeviceFacts& facts) {
  // Grids are (channel blocks, columns, rows): pixels of one row lie beside
  // each other in the image, so columns come first, then channel blocks.
  size_t left = std::max<size_t>(std::min(kItems, max_items), 1);
  Grid local = {1, 1, 1};
  const struct {
    int dimension;
    size_t limit;
  } kOrder[] = {{1, 16}, {0, 4}, {2, 4}, {1, 128}, {0, 128}};
  for (const auto& [d, limit] : kOrder) {
    while (local[d] * 2 <= limit && left >= 2 &&
           local[d] < PowerOfTwoFrom(global[d]) &&
           local[d] * 2 <= std::max<size_t>(facts.max_group_sizes[d], 1)) {
      local[d] *= 2;
      left /= 2;
    }
  }
  return local;
}

Grid RoundUp(const Grid& global, const Grid& local) {
  Grid rounded;
  for (int d = 0; d < 3; ++d) {
    rounded[d] = (global[d] + local[d] - 1) / local[d] * local[d];
  }
  return rounded;
}

}  // namespace mace::opencl
