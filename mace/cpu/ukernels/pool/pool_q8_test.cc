// Every micro-kernel that pools 8-bit values and that this CPU can run,
// compared with the definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/pool/pool_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t channels, rows, columns;
  bool is_signed;
  int32_t lower, upper;
};

int32_t MaxOf(const std::vector<int32_t>& values, int32_t lower) {
  return values.empty() ? lower
                        : *std::max_element(values.begin(), values.end());
}

int32_t MeanOf(const std::vector<int32_t>& values, int32_t) {
  double sum = 0;
  for (const int32_t value : values) sum += value;
  // round() takes ties away from zero.
  return static_cast<int32_t>(
      std::round(sum / static_cast<double>(values.size())));
}

using Definition = int32_t(const std::vector<int32_t>& values, int32_t lower);

// Values are as `draw` makes them.
template <typename F>
void Check(const PoolQ8& row, Definition* result, const Case& c,
           const F& draw) {
  const size_t pixel = c.channels + 3, line = pixel * c.columns + 5;
  // Windows overlap.
  const size_t outputs = 3, step = 2 * pixel;
  std::vector<uint8_t> x(line * c.rows + outputs * step + 1);
  for (uint8_t& value : x) value = draw();
  std::vector<uint8_t> want(outputs * (c.channels + 1), 77), got = want;
  for (size_t at = 0; at < outputs * c.channels; ++at) {
    const size_t o = at / c.channels, k = at % c.channels;
    std::vector<int32_t> values;
    for (size_t i = 0; i < c.rows * c.columns; ++i) {
      const uint8_t value =
          x[o * step + i / c.columns * line + i % c.columns * pixel + k];
      values.push_back(c.is_signed ? static_cast<int8_t>(value) : value);
    }
    want[o * (c.channels + 1) + k] = static_cast<uint8_t>(
        std::min(std::max(result(values, c.lower), c.lower), c.upper));
  }
  row.fn({c.channels, c.rows, c.columns, x.data(), static_cast<ptrdiff_t>(line),
          static_cast<ptrdiff_t>(pixel), c.is_signed, c.lower, c.upper,
          got.data(), outputs, static_cast<ptrdiff_t>(step),
          static_cast<ptrdiff_t>(c.channels + 1)});
  ASSERT_EQ(got, want) << c.channels << " channels of " << c.rows << "x"
                       << c.columns;
}

void Check(const PoolQ8& row, Definition* result, const Case& c) {
  std::minstd_rand random(static_cast<uint32_t>(c.channels + 7 * c.rows) + 1);
  Check(row, result, c, [&] { return static_cast<uint8_t>(random() >> 8); });
}

// Calls f(row, its definition) for each row that runs here.
template <typename F>
void ForEachPool(const F& f) {
  for (const PoolQ8& row : kMaxpoolQ8) {
    SCOPED_TRACE(row.name);
    if (RunsHere(row)) f(row, MaxOf);
  }
  for (const PoolQ8& row : kAvgpoolQ8) {
    SCOPED_TRACE(row.name);
    if (RunsHere(row)) f(row, MeanOf);
  }
}

TEST(PoolQ8, EveryNumberOfChannels) {
  ForEachPool([](const PoolQ8& row, Definition* result) {
    for (size_t channels = 1; channels <= 300; ++channels) {
      Check(row, result, {channels, 2, 2, true, -128, 127});
      Check(row, result, {channels, 3, 1, false, 0, 255});
    }
  });
}

TEST(PoolQ8, EveryWindowAndRange) {
  ForEachPool([](const PoolQ8& row, Definition* result) {
    const size_t least = result == MaxOf ? 0 : 1;
    for (size_t rows = least; rows <= 5; ++rows) {
      for (size_t columns = least; columns <= 5; ++columns) {
        for (const size_t channels : {3, 8, 16, 50, 131}) {
          Check(row, result, {channels, rows, columns, true, -5, 20});
          Check(row, result, {channels, rows, columns, true, -5, 90});
          Check(row, result, {channels, rows, columns, false, 100, 150});
          Check(row, result, {channels, rows, columns, false, 100, 250});
        }
      }
    }
  });
}

// Values at both ends of their range, and sums that are ties.
TEST(PoolQ8, EveryNumberOfPixels) {
  ForEachPool([](const PoolQ8& row, Definition* result) {
    for (size_t n = 1; n <= kAvgpoolQ8MaxPixels; ++n) {
      for (const bool is_signed : {true, false}) {
        const int32_t lower = is_signed ? -128 : 0;
        const Case c = {40, 1, n, is_signed, lower, lower + 255};
        for (const int value : {0, 1, 127, 128, 255}) {
          Check(row, result, c, [&] { return static_cast<uint8_t>(value); });
        }
        std::minstd_rand random(static_cast<uint32_t>(n));
        Check(row, result, c,
              [&] { return static_cast<uint8_t>(random() >> 8 & 1); });
        Check(row, result, c, [&] {
          return static_cast<uint8_t>(random() >> 8 & 1 ? 255 : 128);
        });
      }
    }
  });
}

}  // namespace
}  // namespace mace::cpu
