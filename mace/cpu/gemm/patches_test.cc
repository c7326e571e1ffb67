// Copies of windows stay within their buffer, wherever the windows lie.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/patches.h"

#include <gtest/gtest.h>

#include <vector>

namespace mace::cpu {
namespace {

// Returns what a tap of window q reads in a line whose pixels are 1, 2, 3, ...;
// 0 outside it.
float Seen(const Window& w, int64_t q, int64_t tap) {
  const int64_t x = q * w.stride - w.pad_before + tap;
  return x >= 0 && x < w.in ? static_cast<float>(x + 1) : 0;
}

// Windows that end before the image, overlap it, or begin after it, as in the
// phases of transposed convolutions.
TEST(Patches, CopiesWindowsBesideTheImage) {
  for (int64_t pad = -9; pad <= 9; ++pad) {
    SCOPED_TRACE(pad);
    Patches p;
    p.batch = p.channels = p.pixel_stride = 1;
    p.window.h = {};
    p.window.h.in = p.window.h.out = p.window.h.kernel = 1;
    Window& w = p.window.w;
    w.in = 4;
    w.out = 3;
    w.kernel = 2;
    w.pad_before = pad;
    const std::vector<float> x = {1, 2, 3, 4};
    constexpr float kFence = -77;
    std::vector<float> to(static_cast<size_t>(w.out * p.depth()) + 32, kFence);
    Patches::InPlace read;
    ASSERT_TRUE(p.CopyWindows(x.data(), sizeof(float), 0, w.out, to.data() + 16,
                              &read));
    for (int64_t q = 0; q < w.out; ++q) {
      for (int64_t tap = 0; tap < w.kernel; ++tap) {
        EXPECT_EQ(to[16 + read.offset + q * read.row_stride + tap],
                  Seen(w, q, tap));
      }
    }
    for (size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(to[i], kFence);
      EXPECT_EQ(to[to.size() - 1 - i], kFence);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
