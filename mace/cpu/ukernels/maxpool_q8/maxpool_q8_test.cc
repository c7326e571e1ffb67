// Every micro-kernel that finds the largest quantized values and that this CPU
// can run, compared with the definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/maxpool_q8/maxpool_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/maxpool_q8/maxpool_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t channels, rows, columns;
  bool is_signed;
  int32_t least, most;
};

void Check(const MaxpoolQ8& row, const Case& c) {
  const size_t pixel = c.channels + 3, line = pixel * c.columns + 5;
  std::minstd_rand random(static_cast<uint32_t>(c.channels + 7 * c.rows) + 1);
  // Windows overlap.
  const size_t outputs = 3, step = 2 * pixel;
  std::vector<uint8_t> x(line * c.rows + outputs * step + 1);
  for (uint8_t& code : x) code = static_cast<uint8_t>(random() >> 8);
  std::vector<uint8_t> want(outputs * (c.channels + 1), 77), got = want;
  for (size_t at = 0; at < outputs * c.channels; ++at) {
    const size_t o = at / c.channels, k = at % c.channels;
    int32_t most = c.least;
    for (size_t i = 0; i < c.rows * c.columns; ++i) {
      const uint8_t code =
          x[o * step + i / c.columns * line + i % c.columns * pixel + k];
      most = std::max<int32_t>(most,
                               c.is_signed ? static_cast<int8_t>(code) : code);
    }
    want[o * (c.channels + 1) + k] =
        static_cast<uint8_t>(std::min(most, c.most));
  }
  row.fn({c.channels, c.rows, c.columns, x.data(), static_cast<ptrdiff_t>(line),
          static_cast<ptrdiff_t>(pixel), c.is_signed, c.least, c.most,
          got.data(), outputs, static_cast<ptrdiff_t>(step),
          static_cast<ptrdiff_t>(c.channels + 1)});
  ASSERT_EQ(got, want) << c.channels << " channels of " << c.rows << "x"
                       << c.columns;
}

TEST(MaxpoolQ8, EveryNumberOfChannels) {
  for (const MaxpoolQ8& row : kMaxpoolQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t channels = 1; channels <= 300; ++channels) {
      Check(row, {channels, 2, 2, true, -128, 127});
      Check(row, {channels, 3, 1, false, 0, 255});
    }
  }
}

TEST(MaxpoolQ8, EveryWindowAndRange) {
  for (const MaxpoolQ8& row : kMaxpoolQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t rows = 0; rows <= 5; ++rows) {
      for (size_t columns = 0; columns <= 5; ++columns) {
        for (const size_t channels : {3, 16, 50, 131}) {
          Check(row, {channels, rows, columns, true, -5, 90});
          Check(row, {channels, rows, columns, false, 100, 250});
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
