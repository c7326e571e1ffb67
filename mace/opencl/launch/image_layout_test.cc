// The pixel formulas, against the tables of docs/memory_layout.md.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/image_layout.h"

#include <gtest/gtest.h>

namespace mace::opencl {
namespace {

constexpr auto kChannelMajor = ImageLayout::kChannelMajor;
constexpr auto kHeightMajor = ImageLayout::kHeightMajor;
constexpr auto kWidthMajor = ImageLayout::kWidthMajor;
constexpr auto kConvFilter = ImageLayout::kConvFilter;
constexpr auto kDepthwiseFilter = ImageLayout::kDepthwiseFilter;
constexpr auto kArgument = ImageLayout::kArgument;

// A row of the tables, worked out by hand: a tensor, the size of its image, and
// the position of one element.
struct Row {
  ImageLayout layout;
  Extents4 extents;
  int64_t width, height;
  Extents4 element;
  PixelComponent pixel;
};

const Row kRows[] = {
    // N 2, H 3, W 5, C 6: [W * ceil(C / 4), N * H]
    {kChannelMajor, {2, 3, 5, 6}, 10, 6, {0, 0, 0, 0}, {0, 0, 0}},
    {kChannelMajor, {2, 3, 5, 6}, 10, 6, {1, 2, 4, 5}, {9, 5, 1}},
    {kChannelMajor, {2, 3, 5, 6}, 10, 6, {1, 0, 3, 2}, {3, 3, 2}},
    // [W * C, N * ceil(H / 4)]
    {kHeightMajor, {2, 6, 5, 3}, 15, 4, {0, 5, 0, 0}, {0, 1, 1}},
    {kHeightMajor, {2, 6, 5, 3}, 15, 4, {1, 3, 4, 2}, {14, 2, 3}},
    // [ceil(W / 4) * C, N * H]
    {kWidthMajor, {2, 3, 6, 3}, 6, 6, {0, 0, 5, 0}, {1, 0, 1}},
    {kWidthMajor, {2, 3, 6, 3}, 6, 6, {1, 1, 2, 2}, {4, 4, 2}},
    // O 6, I 3, H 2, W 5: [I, ceil(O / 4) * H * W]
    {kConvFilter, {6, 3, 2, 5}, 3, 20, {0, 2, 1, 3}, {2, 8, 0}},
    {kConvFilter, {6, 3, 2, 5}, 3, 20, {5, 1, 0, 4}, {1, 14, 1}},
    // M 1, I 6, H 2, W 5: [H * W * M, ceil(I / 4)]
    {kDepthwiseFilter, {1, 6, 2, 5}, 10, 2, {0, 5, 1, 3}, {8, 1, 1}},
    {kDepthwiseFilter, {2, 6, 2, 5}, 20, 2, {1, 2, 0, 1}, {11, 0, 2}},
    // W 6: [ceil(W / 4), 1]
    {kArgument, {1, 1, 1, 6}, 2, 1, {0, 0, 0, 5}, {1, 0, 1}},
};

TEST(ImageLayout, Tables) {
  for (const Row& row : kRows) {
    const Extent2D extent = ImageExtent(row.layout, row.extents);
    EXPECT_EQ(extent.width, row.width);
    EXPECT_EQ(extent.height, row.height);
    const PixelComponent p = PixelOf(row.layout, row.extents, row.element);
    EXPECT_EQ(p.x, row.pixel.x);
    EXPECT_EQ(p.y, row.pixel.y);
    EXPECT_EQ(p.component, row.pixel.component);
    Extents4 at;
    EXPECT_TRUE(ElementAt(row.layout, row.extents, row.pixel, &at));
    EXPECT_EQ(at, row.element);
  }
}

// Every element has its own position inside the image, and ElementAt finds it.
void CheckBijection(ImageLayout layout, const Extents4& e) {
  const Extent2D extent = ImageExtent(layout, e);
  int64_t found = 0;
  for (int64_t y = 0; y < extent.height; ++y) {
    for (int64_t x = 0; x < extent.width; ++x) {
      for (int k = 0; k < 4; ++k) {
        Extents4 at;
        if (!ElementAt(layout, e, {x, y, k}, &at)) continue;
        ++found;
        EXPECT_TRUE(PixelOf(layout, e, at) == (PixelComponent{x, y, k}));
      }
    }
  }
  EXPECT_EQ(found, e[0] * e[1] * e[2] * e[3]);
}

TEST(ImageLayout, EveryElementHasOnePlace) {
  for (const Extents4& e : {Extents4{1, 1, 1, 1}, Extents4{2, 3, 5, 6},
                            Extents4{3, 4, 8, 13}, Extents4{1, 7, 9, 4}}) {
    CheckBijection(kChannelMajor, e);
    CheckBijection(kHeightMajor, e);
    CheckBijection(kWidthMajor, e);
    CheckBijection(kConvFilter, e);
    CheckBijection(kDepthwiseFilter, e);
    CheckBijection(kArgument, {1, 1, 1, e[3]});
  }
}

TEST(ImageLayout, ActivationsOfAnyRank) {
  EXPECT_EQ(AsNhwc({}), (Extents4{1, 1, 1, 1}));
  EXPECT_EQ(AsNhwc({7}), (Extents4{1, 1, 1, 7}));
  EXPECT_EQ(AsNhwc({2, 7}), (Extents4{2, 1, 1, 7}));
  EXPECT_EQ(AsNhwc({2, 3, 7}), (Extents4{2, 3, 1, 7}));
  EXPECT_EQ(AsNhwc({2, 3, 4, 7}), (Extents4{2, 3, 4, 7}));
  EXPECT_EQ(AsNhwc({5, 2, 3, 4, 7}), (Extents4{10, 3, 4, 7}));
}

}  // namespace
}  // namespace mace::opencl
