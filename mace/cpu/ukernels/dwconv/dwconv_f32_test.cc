// Every depthwise micro-kernel that this CPU can run, on every width of a tile.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

float Widen(float x) { return x; }
float Widen(uint16_t x) { return FromFp16(x); }
void Round(float x, float* to) { *to = x; }
void Round(float x, uint16_t* to) { *to = ToFp16(x); }

template <typename T>
std::vector<T> Random(size_t n, float offset = 0) {
  std::vector<T> values(n);
  const std::vector<float> floats = RandomFloats(n);
  for (size_t i = 0; i < n; ++i) Round(floats[i] + offset, &values[i]);
  return values;
}

// `outside` is how many lines of the window lie outside the image. `tolerance`
// is for sums of up to 25 products below 2.
template <typename T>
void Check(const Dwconv<T>& kernel, int channels, int width, int height,
           int outside, double tolerance) {
  const int taps = kernel.kernel == 0 ? 1 : kernel.kernel;
  const int columns = (width - 1) * kernel.stride + taps;
  std::vector<std::vector<T>> pixels;
  std::vector<const T*> x;
  for (int i = 0; i < height * columns; ++i) {
    pixels.push_back(Random<T>(channels, 0.01f * static_cast<float>(i)));
  }
  for (const auto& pixel : pixels) x.push_back(pixel.data());
  const int groups = (channels + kernel.lanes - 1) / kernel.lanes;
  const int group_size = (height + outside) * taps * kernel.lanes;
  const auto w = Random<T>(groups * group_size);
  const auto bias = Random<T>(channels);
  std::vector<T> y(width * channels);
  kernel.fn({static_cast<size_t>(channels), static_cast<size_t>(width),
             static_cast<size_t>(height), x.data(), w.data(), group_size,
             bias.data(), y.data(), channels, -1, 2});
  for (int o = 0; o < width; ++o) {
    for (int c = 0; c < channels; ++c) {
      double want = Widen(bias[c]);
      for (int r = 0; r < height; ++r) {
        for (int t = 0; t < taps; ++t) {
          const T weight = w[c / kernel.lanes * group_size +
                             (r * taps + t) * kernel.lanes + c % kernel.lanes];
          want += double{Widen(x[r * columns + o * kernel.stride + t][c])} *
                  Widen(weight);
        }
      }
      ASSERT_NEAR(Widen(y[o * channels + c]), std::fmin(std::fmax(want, -1), 2),
                  tolerance)
          << "output " << o << " channel " << c;
    }
  }
}

template <typename T, size_t kRows>
void CheckAll(const Dwconv<T> (&table)[kRows], double tolerance) {
  for (const Dwconv<T>& kernel : table) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int width = 1; width <= std::min(kernel.max_width, 9); ++width) {
      for (int height : {0, 1, 2, 3, 5}) {
        for (int channels = 1; channels <= 2 * kernel.lanes + 1; ++channels) {
          Check(kernel, channels, width, height, 0, tolerance);
          Check(kernel, channels, width, height, 1, tolerance);
        }
      }
    }
  }
}

TEST(DwconvF32, EveryWidth) {
  CheckAll(kDwconvF32, 1e-5);
  CheckAll(kDwconvF32Wide, 1e-5);
}

// 25 roundings by up to 2^-9, of partial sums below 8.
TEST(DwconvF16, EveryWidth) {
  CheckAll(kDwconvF16, 25 * 0x1p-9);
#if defined(__aarch64__)
  CheckAll(kDwconvF16Wide, 25 * 0x1p-9);
#endif
}

}  // namespace
}  // namespace mace::cpu
