// Every micro-kernel that computes means of quantized values and that this CPU
// can run, compared with the definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/avgpool_q8/avgpool_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/avgpool_q8/avgpool_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t channels, rows, columns;
  bool is_signed;
  int32_t least, most;
};

// Quantized values are as `draw` makes them.
template <typename F>
void Check(const AvgpoolQ8& row, const Case& c, const F& draw) {
  const size_t pixel = c.channels + 3, line = pixel * c.columns + 5;
  // Windows overlap.
  const size_t outputs = 3, step = 2 * pixel;
  std::vector<uint8_t> x(line * c.rows + outputs * step + 1);
  for (uint8_t& code : x) code = draw();
  std::vector<uint8_t> want(outputs * (c.channels + 1), 77), got = want;
  const size_t n = c.rows * c.columns;
  for (size_t at = 0; at < outputs * c.channels; ++at) {
    const size_t o = at / c.channels, k = at % c.channels;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint8_t code =
          x[o * step + i / c.columns * line + i % c.columns * pixel + k];
      sum += c.is_signed ? static_cast<int8_t>(code) : code;
    }
    // round() takes ties away from zero.
    const auto mean =
        static_cast<int32_t>(std::round(sum / static_cast<double>(n)));
    want[o * (c.channels + 1) + k] =
        static_cast<uint8_t>(std::min(std::max(mean, c.least), c.most));
  }
  row.fn({c.channels, c.rows, c.columns, x.data(), static_cast<ptrdiff_t>(line),
          static_cast<ptrdiff_t>(pixel), c.is_signed, c.least, c.most,
          got.data(), outputs, static_cast<ptrdiff_t>(step),
          static_cast<ptrdiff_t>(c.channels + 1)});
  ASSERT_EQ(got, want) << c.channels << " channels of " << c.rows << "x"
                       << c.columns;
}

void Check(const AvgpoolQ8& row, const Case& c) {
  std::minstd_rand random(static_cast<uint32_t>(c.channels + 7 * c.rows) + 1);
  Check(row, c, [&] { return static_cast<uint8_t>(random() >> 8); });
}

TEST(AvgpoolQ8, EveryNumberOfChannels) {
  for (const AvgpoolQ8& row : kAvgpoolQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t channels = 1; channels <= 300; ++channels) {
      Check(row, {channels, 2, 2, true, -128, 127});
      Check(row, {channels, 3, 1, false, 0, 255});
    }
  }
}

TEST(AvgpoolQ8, EveryWindowAndRange) {
  for (const AvgpoolQ8& row : kAvgpoolQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t rows = 1; rows <= 5; ++rows) {
      for (size_t columns = 1; columns <= 5; ++columns) {
        for (const size_t channels : {3, 8, 16, 50, 131}) {
          Check(row, {channels, rows, columns, true, -5, 20});
          Check(row, {channels, rows, columns, false, 100, 150});
        }
      }
    }
  }
}

// Quantized values at both ends of their range, and sums that are ties.
TEST(AvgpoolQ8, EveryNumberOfPixels) {
  for (const AvgpoolQ8& row : kAvgpoolQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t n = 1; n <= kAvgpoolQ8MostPixels; ++n) {
      for (const bool is_signed : {true, false}) {
        const int32_t least = is_signed ? -128 : 0;
        const Case c = {40, 1, n, is_signed, least, least + 255};
        for (const int code : {0, 1, 127, 128, 255}) {
          Check(row, c, [&] { return static_cast<uint8_t>(code); });
        }
        std::minstd_rand random(static_cast<uint32_t>(n));
        Check(row, c, [&] { return static_cast<uint8_t>(random() >> 8 & 1); });
        Check(row, c, [&] {
          return static_cast<uint8_t>(random() >> 8 & 1 ? 255 : 128);
        });
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
