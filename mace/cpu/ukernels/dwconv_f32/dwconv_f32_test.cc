// Every depthwise micro-kernel that this CPU can run, on every width of a tile.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/cpu/ukernels/dwconv_f32/dwconv_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"

namespace mace::cpu {
namespace {

// The window is `outside` lines higher than what of it lies inside the image.
void Check(const DwconvF32& kernel, int channels, int width, int height,
           int outside) {
  const int taps = kernel.kernel == 0 ? 1 : kernel.kernel;
  const int columns = (width - 1) * kernel.stride + taps;
  std::vector<std::vector<float>> pixels;
  std::vector<const float*> x;
  for (int i = 0; i < height * columns; ++i) {
    pixels.push_back(RandomFloats(channels));
    for (float& v : pixels.back()) v += 0.01f * static_cast<float>(i);
  }
  for (const auto& pixel : pixels) x.push_back(pixel.data());
  const int groups = (channels + kernel.lanes - 1) / kernel.lanes;
  const int group_floats = (height + outside) * taps * kernel.lanes;
  const auto w = RandomFloats(groups * group_floats);
  const auto bias = RandomFloats(channels);
  std::vector<float> y(width * channels);
  kernel.fn({static_cast<size_t>(channels), static_cast<size_t>(width),
             static_cast<size_t>(height), x.data(), w.data(), group_floats,
             bias.data(), y.data(), channels, -1, 2});
  for (int o = 0; o < width; ++o) {
    for (int c = 0; c < channels; ++c) {
      double want = bias[c];
      for (int r = 0; r < height; ++r) {
        for (int t = 0; t < taps; ++t) {
          want += double{x[r * columns + o * kernel.stride + t][c]} *
                  w[c / kernel.lanes * group_floats +
                    (r * taps + t) * kernel.lanes + c % kernel.lanes];
        }
      }
      ASSERT_NEAR(y[o * channels + c], std::fmin(std::fmax(want, -1), 2), 1e-5)
          << "output " << o << " channel " << c;
    }
  }
}

TEST(DwconvF32, EveryWidth) {
  for (const DwconvF32& kernel : kDwconvF32) {
    if ((kernel.isa & DetectCpuFeatures()) != kernel.isa) continue;
    SCOPED_TRACE(kernel.name);
    for (int width = 1; width <= std::min(kernel.max_width, 9); ++width) {
      for (int height : {0, 1, 2, 3, 5}) {
        for (int channels = 1; channels <= 2 * kernel.lanes + 1; ++channels) {
          Check(kernel, channels, width, height, 0);
          Check(kernel, channels, width, height, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
