// The pixel formulas of the six layouts, in both directions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/image_layout.h"

namespace mace::opencl {

Extent2D ImageExtent(ImageLayout layout, const Extents4& e) {
  switch (layout) {
    case ImageLayout::kChannelMajor:
      return {e[2] * Blocks(e[3]), e[0] * e[1]};
    case ImageLayout::kHeightMajor:
      return {e[2] * e[3], e[0] * Blocks(e[1])};
    case ImageLayout::kWidthMajor:
      return {Blocks(e[2]) * e[3], e[0] * e[1]};
    case ImageLayout::kConvFilter:
      return {e[1], Blocks(e[0]) * e[2] * e[3]};
    case ImageLayout::kDepthwiseFilter:
      return {e[2] * e[3] * e[0], Blocks(e[1])};
    case ImageLayout::kArgument:
      return {Blocks(e[3]), 1};
  }
  return {};
}

PixelComponent PixelOf(ImageLayout layout, const Extents4& e,
                       const Extents4& at) {
  const auto [a, b, c, d] = at;
  switch (layout) {
    case ImageLayout::kChannelMajor:
      return {d / 4 * e[2] + c, a * e[1] + b, static_cast<int>(d % 4)};
    case ImageLayout::kHeightMajor:
      return {d * e[2] + c, a * Blocks(e[1]) + b / 4, static_cast<int>(b % 4)};
    case ImageLayout::kWidthMajor:
      return {d * Blocks(e[2]) + c / 4, a * e[1] + b, static_cast<int>(c % 4)};
    case ImageLayout::kConvFilter:
      return {b, (a / 4 * e[2] + c) * e[3] + d, static_cast<int>(a % 4)};
    case ImageLayout::kDepthwiseFilter:
      return {(a * e[2] + c) * e[3] + d, b / 4, static_cast<int>(b % 4)};
    case ImageLayout::kArgument:
      return {d / 4, 0, static_cast<int>(d % 4)};
  }
  return {};
}

bool ElementAt(ImageLayout layout, const Extents4& e,
               const PixelComponent& place, Extents4* at) {
  const auto [x, y, k] = place;
  switch (layout) {
    case ImageLayout::kChannelMajor:
      *at = {y / e[1], y % e[1], x % e[2], x / e[2] * 4 + k};
      break;
    case ImageLayout::kHeightMajor: {
      const int64_t blocks = Blocks(e[1]);
      *at = {y / blocks, y % blocks * 4 + k, x % e[2], x / e[2]};
      break;
    }
    case ImageLayout::kWidthMajor: {
      const int64_t blocks = Blocks(e[2]);
      *at = {y / e[1], y % e[1], x % blocks * 4 + k, x / blocks};
      break;
    }
    case ImageLayout::kConvFilter: {
      const int64_t taps = e[2] * e[3], tap = y % taps;
      *at = {y / taps * 4 + k, x, tap / e[3], tap % e[3]};
      break;
    }
    case ImageLayout::kDepthwiseFilter: {
      const int64_t taps = e[2] * e[3], tap = x % taps;
      *at = {x / taps, y * 4 + k, tap / e[3], tap % e[3]};
      break;
    }
    case ImageLayout::kArgument:
      *at = {0, 0, 0, x * 4 + k};
      break;
  }
  for (int i = 0; i < 4; ++i) {
    if ((*at)[i] >= e[i]) return false;
  }
  return true;
}

Extents4 AsNhwc(const Shape& shape) {
  const size_t rank = shape.size();
  switch (rank) {
    case 0:
      return {1, 1, 1, 1};
    case 1:
      return {1, 1, 1, shape[0]};
    case 2:
      return {shape[0], 1, 1, shape[1]};
    case 3:
      return {shape[0], shape[1], 1, shape[2]};
    default:
      break;
  }
  Extents4 e = {1, shape[rank - 3], shape[rank - 2], shape[rank - 1]};
  for (size_t d = 0; d + 3 < rank; ++d) e[0] *= shape[d];
  return e;
}

Grid BlockGrid(const Extents4& e) {
  return {static_cast<size_t>(Blocks(e[3])), static_cast<size_t>(e[2]),
          static_cast<size_t>(e[0] * e[1])};
}

}  // namespace mace::opencl
