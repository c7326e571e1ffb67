// Where the elements of a tensor lie in the RGBA pixels of a 2-D image.
// SPDX-License-Identifier: Apache-2.0
//
// Four elements make a pixel. docs/memory_layout.md has the table and pictures.
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

// A place in an image: component 0 to 3 of pixel (x, y).
struct PixelComponent {
  int64_t x = 0, y = 0;
  int component = 0;

  bool operator==(const PixelComponent& o) const {
    return x == o.x && y == o.y && component == o.component;
  }
};

inline int64_t Blocks(int64_t n) { return (n + 3) / 4; }

// Pixels of the image of a tensor of these extents.
Extent2D ImageExtent(ImageLayout layout, const Extents4& extents);

// Where element `at` lies. REQUIRES: it is inside the tensor.
PixelComponent PixelOf(ImageLayout layout, const Extents4& extents,
                       const Extents4& at);

// The element that lies there, or false if the component is beyond the
// tensor's edge: it is 0 then.
bool ElementAt(ImageLayout layout, const Extents4& extents,
               const PixelComponent& place, Extents4* at);

// An activation of any rank as N, H, W, C: [a, b, c] is a images of b rows of
// one pixel, [a, b] is a pixels of b channels, a vector one pixel. Of ranks
// above 4 the outermost extents are taken together.
Extents4 AsNhwc(const Shape& shape);

// An item for each pixel of a channel-major image: channel blocks, columns,
// rows (N * H).
Grid BlockGrid(const Extents4& nhwc);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_IMAGE_LAYOUT_H_
