// Every set of Winograd micro-kernels that this CPU can run: one tile, from
// input to output, against a direct convolution.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_table.h"

namespace mace::cpu {
namespace {

struct Case {
  int m, channels, tiles;
  int first = 0, missing = 0;  // columns outside the image on either side
};

std::vector<WinogradLineF32> Lines(const std::vector<float>& image,
                                   const Case& c, int columns) {
  std::vector<WinogradLineF32> lines;
  for (int i = 0; i < c.m + 2; ++i) {
    lines.push_back(
        {image.data() + (i * columns + c.first) * c.channels, c.channels});
  }
  return lines;
}

// Depthwise, because the transforms do not sum over channels.
void Check(const WinogradF32& kernel, const Case& c) {
  SCOPED_TRACE(std::string(kernel.name) + " F(" + std::to_string(c.m) +
               ", 3), " + std::to_string(c.channels) + " channels, " +
               std::to_string(c.tiles) + " tiles");
  const int m = c.m, a = m + 2, channels = c.channels, tiles = c.tiles;
  const int columns = (tiles - 1) * m + a, pixel = channels + 3;
  auto image = RandomFloats(a * columns * channels);
  const auto lines = Lines(image, c, columns);
  for (int i = 0; i < a * columns; ++i) {
    const int column = i % columns;
    if (column >= c.first && column < columns - c.missing) continue;
    for (int j = 0; j < channels; ++j) image[i * channels + j] = 0;
  }
  const auto filter = RandomFloats(9), bias = RandomFloats(channels);
  std::vector<float> taps;
  for (float tap : filter) taps.insert(taps.end(), channels, tap);
  // Vectors of channels with gaps between them, then without.
  const int lanes = kernel.set->lanes, group = lanes + 5;
  const int spread = (channels + lanes - 1) / lanes * group;
  const std::vector<float> zeros(channels);
  const WinogradInputF32 input = {static_cast<size_t>(channels),
                                  static_cast<size_t>(tiles),
                                  lines.data(),
                                  static_cast<size_t>(c.first),
                                  static_cast<size_t>(columns - c.missing),
                                  zeros.data(),
                                  nullptr,
                                  0,
                                  0,
                                  0};
  std::vector<float> apart(a * a * tiles * spread), v(a * a * tiles * channels);
  WinogradInputF32 to = input;
  to.v = apart.data();
  to.v_stride = tiles * spread;
  to.tile_stride = spread;
  to.group_stride = group;
  kernel.set->input[m / 2 - 1](to);
  to.v = v.data();
  to.v_stride = tiles * channels;
  to.tile_stride = channels;
  to.group_stride = lanes;
  kernel.set->input[m / 2 - 1](to);
  for (size_t i = 0; i < v.size(); ++i) {
    const int j = static_cast<int>(i) % channels;
    ASSERT_EQ(v[i],
              apart[i / channels * spread + j / lanes * group + j % lanes]);
  }
  std::vector<float> u(a * a * channels);
  kernel.set->filter[m / 2 - 1]({static_cast<size_t>(channels), taps.data(),
                                 channels, u.data(), channels});
  for (size_t i = 0; i < v.size(); ++i) {
    v[i] *= u[i / channels / tiles * channels + i % channels];
  }
  const int across = tiles * m;
  for (int height : {1, m}) {
    for (int width = across - m + 1; width <= across; ++width) {
      for (float upper : {1.5f, INFINITY}) {
        std::vector<float> y(m * across * pixel, 9);
        kernel.set->output[m / 2 - 1](
            {static_cast<size_t>(channels), static_cast<size_t>(tiles),
             v.data(), tiles * channels, channels, bias.data(), y.data(),
             across * pixel, pixel, static_cast<size_t>(height),
             static_cast<size_t>(width), -1, upper});
        for (int i = 0; i < m * across * pixel; ++i) {
          const int p = i / pixel / across, q = i / pixel % across;
          const int j = i % pixel;
          if (p >= height || q >= width || j >= channels) {
            ASSERT_EQ(y[i], 9) << "wrote outside";
            continue;
          }
          double want = bias[j];
          for (int t = 0; t < 9; ++t) {
            want += double{filter[t]} *
                    image[((p + t / 3) * columns + q + t % 3) * channels + j];
          }
          ASSERT_NEAR(y[i], std::fmin(std::fmax(want, -1), upper), 1e-4);
        }
      }
    }
  }
}

TEST(WinogradF32, TilesAreConvolutions) {
  for (const WinogradF32& kernel : kWinogradF32) {
    if (!RunsHere(kernel)) continue;
    for (int channels : {1, 3, 8, 16, 17, 40}) {
      for (int m : {2, 4, 6}) {
        Check(kernel, {m, channels, 1});
        Check(kernel, {m, channels, 5, 1, 3});
        Check(kernel, {m, channels, int{kWinogradMaxTiles}});
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
