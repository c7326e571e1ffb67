// Choosing group sizes by a model of mobile GPUs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/local_size.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mace::opencl {
namespace {

// Items in a group: one or two waves of a mobile GPU (Adreno has 64 or 128
// items, Mali 4 to 16 in a warp and up to 64 useful ones).
constexpr size_t kItems = 128;

constexpr size_t kCandidates = 20;

size_t PowerOfTwoFrom(size_t n) {
  size_t p = 1;
  while (p < n) p *= 2;
  return p;
}

// Returns how many positions a group may have in each dimension.
Grid MostPositions(size_t team, const DeviceInfo& info) {
  Grid most;
  for (int d = 0; d < 3; ++d) {
    most[d] = std::max<size_t>(info.max_group_sizes[d], 1);
  }
  most[2] = std::max<size_t>(most[2] / team, 1);
  return most;
}

}  // namespace

Grid ChooseLocalSize(const Grid& global, size_t team, size_t max_items,
                     const DeviceInfo& info) {
  const Grid allowed = MostPositions(team, info);
  // The dimensions of a grid are (channel blocks, columns, rows). Pixels of one
  // row are adjacent in the image, so columns come first, then channel blocks.
  size_t left = std::max<size_t>(std::min(kItems, max_items) / team, 1);
  Grid local = {1, 1, 1};
  const struct {
    int dimension;
    size_t limit;
  } kOrder[] = {{1, 16}, {0, 4}, {2, 4}, {1, 128}, {0, 128}};
  for (const auto& [d, limit] : kOrder) {
    while (local[d] * 2 <= limit && left >= 2 &&
           local[d] < PowerOfTwoFrom(global[d]) && local[d] * 2 <= allowed[d]) {
      local[d] *= 2;
      left /= 2;
    }
  }
  return local;
}

std::vector<Grid> LocalSizeCandidates(const Grid& global, size_t team,
                                      size_t max_items,
                                      const DeviceInfo& info) {
  const Grid first = ChooseLocalSize(global, team, max_items, info);
  const Grid allowed = MostPositions(team, info);
  const size_t most =
      std::max<size_t>(std::min(2 * kItems, max_items) / team, 1);
  size_t items = 1;  // positions, counted up to the limit of a group
  Grid limits;
  for (int d = 0; d < 3; ++d) {
    limits[d] = std::min(PowerOfTwoFrom(global[d]), allowed[d]);
    items *= std::min(limits[d], most);
  }
  const size_t least = std::min(items, most) / 8;
  std::vector<std::pair<double, Grid>> found;
  for (size_t x = 1; x <= limits[0]; x *= 2) {
    for (size_t y = 1; y <= limits[1] && x * y <= most; y *= 2) {
      for (size_t z = 1; z <= limits[2] && x * y * z <= most; z *= 2) {
        const Grid local = {x, y, z};
        if (x * y * z < least || local == first) continue;
        double distance = 0;
        for (int d = 0; d < 3; ++d) {
          distance += std::abs(std::log2(static_cast<double>(local[d]) /
                                         static_cast<double>(first[d])));
        }
        found.emplace_back(distance, local);
      }
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() >= kCandidates) found.resize(kCandidates - 1);
  std::vector<Grid> candidates = {first};
  for (const auto& [distance, local] : found) candidates.push_back(local);
  return candidates;
}

Grid RoundUp(const Grid& global, const Grid& local) {
  Grid rounded;
  for (int d = 0; d < 3; ++d) {
    rounded[d] = (global[d] + local[d] - 1) / local[d] * local[d];
  }
  return rounded;
}

}  // namespace mace::opencl
