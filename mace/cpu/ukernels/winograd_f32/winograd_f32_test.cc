// Every set of Winograd micro-kernels that this CPU can run: one tile, from
// input to output, against the convolution itself.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/winograd_f32/winograd_f32_table.h"

namespace mace::cpu {
namespace {

// Depthwise, as the transforms know no sums over channels.
void Check(const WinogradF32& kernel, int m, int channels) {
  SCOPED_TRACE(std::string(kernel.name) + " F(" + std::to_string(m) + ", 3), " +
               std::to_string(channels) + " channels");
  const int a = m + 2, guard = 3, pixel = channels + guard;
  const auto image = RandomFloats(a * a * channels);
  const auto filter = RandomFloats(9);
  std::vector<float> taps;
  for (float tap : filter) taps.insert(taps.end(), channels, tap);
  const auto bias = RandomFloats(channels);
  std::vector<const float*> x;
  for (int i = 0; i < a * a; ++i) x.push_back(image.data() + i * channels);
  // Vectors of channels apart from each other, then side by side.
  const int lanes = kernel.set->lanes, group = lanes + 5;
  const int spread = (channels + lanes - 1) / lanes * group;
  std::vector<float> apart(a * a * spread);
  kernel.set->input[m / 2 - 1](
      {static_cast<size_t>(channels), x.data(), apart.data(), spread, group});
  std::vector<float> v(a * a * channels);
  kernel.set->input[m / 2 - 1](
      {static_cast<size_t>(channels), x.data(), v.data(), channels, lanes});
  for (int i = 0; i < a * a * channels; ++i) {
    const int c = i % channels;
    ASSERT_EQ(v[i],
              apart[i / channels * spread + c / lanes * group + c % lanes]);
  }
  std::vector<float> u(a * a * channels);
  kernel.set->filter[m / 2 - 1]({static_cast<size_t>(channels), taps.data(),
                                 channels, u.data(), channels});
  for (size_t i = 0; i < u.size(); ++i) v[i] *= u[i];
  for (int height : {1, m}) {
    for (int width = 1; width <= m; ++width) {
      std::vector<float> y(m * m * pixel, 9);
      kernel.set->output[m / 2 - 1]({static_cast<size_t>(channels), v.data(),
                                     channels, bias.data(), y.data(), m * pixel,
                                     pixel, static_cast<size_t>(height),
                                     static_cast<size_t>(width), -1, 1.5f});
      for (int i = 0; i < m * m * pixel; ++i) {
        const int p = i / pixel / m, q = i / pixel % m, c = i % pixel;
        if (p >= height || q >= width || c >= channels) {
          ASSERT_EQ(y[i], 9) << "wrote outside";
          continue;
        }
        double want = bias[c];
        for (int t = 0; t < 9; ++t) {
          want += double{filter[t]} *
                  image[((p + t / 3) * a + q + t % 3) * channels + c];
        }
        ASSERT_NEAR(y[i], std::fmin(std::fmax(want, -1), 1.5), 1e-4);
      }
    }
  }
}

TEST(WinogradF32, TilesAreConvolutions) {
  for (const WinogradF32& kernel : kWinogradF32) {
    if ((kernel.isa & DetectCpuFeatures()) != kernel.isa) continue;
    for (int channels : {1, 3, 16, 17, 40}) {
      for (int m : {2, 4, 6}) Check(kernel, m, channels);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
