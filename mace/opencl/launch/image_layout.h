// The positions of a tensor's elements in the RGBA pixels of a 2-D image.
// SPDX-License-Identifier: Apache-2.0
//
// A pixel holds four elements. docs/memory_layout.md has the formulas and
// drawings.
#ifndef MACE_OPENCL_LAUNCH_IMAGE_LAYOUT_H_
#define MACE_OPENCL_LAUNCH_IMAGE_LAYOUT_H_

#include <array>
#include <cstdint>

#include "mace/device/kernel.h"
#include "mace/graph/tensor_type.h"
#include "mace/opencl/launch/local_size.h"

namespace mace::opencl {

enum class ImageLayout {
  kChannelMajor,     // activation NHWC, the default
  kHeightMajor,      // activation NHWC
  kWidthMajor,       // activation NHWC
  kConvFilter,       // OIHW
  kDepthwiseFilter,  // MIHW; a multiplier M repeats the width M times
  kArgument,         // W, as {1, 1, 1, W}
};

using Extents4 = std::array<int64_t, 4>;  // outermost first

// A position in an image: component 0 to 3 of pixel (x, y).
struct PixelComponent {
  int64_t x = 0, y = 0;
  int component = 0;

  bool operator==(const PixelComponent& o) const {
    return x == o.x && y == o.y && component == o.component;
  }
};

inline int64_t Blocks(int64_t n) { return (n + 3) / 4; }

// Returns how many pixels the image of a tensor with these extents has.
Extent2D ImageExtent(ImageLayout layout, const Extents4& extents);

// Returns the position of element `at`. REQUIRES: it is inside the tensor.
PixelComponent PixelOf(ImageLayout layout, const Extents4& extents,
                       const Extents4& at);

// Finds the element at a position. Returns false if the component is beyond the
// edge of the tensor, where images hold 0.
bool ElementAt(ImageLayout layout, const Extents4& extents,
               const PixelComponent& place, Extents4* at);

// Returns a tensor of any rank as N, H, W, C. [a, b, c] is `a` images with `b`
// rows of one pixel, [a, b] is `a` pixels with `b` channels, and a vector is
// one pixel. For ranks above 4 the outermost extents are multiplied.
Extents4 AsNhwc(const Shape& shape);

// Returns a grid with one work item for each pixel of a channel-major image:
// channel blocks, columns, rows (N * H).
Grid BlockGrid(const Extents4& nhwc);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_IMAGE_LAYOUT_H_
