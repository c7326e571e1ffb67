// Magnitudes of rows of every length.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

TEST(MagnitudeF32, EveryLength) {
  for (const MagnitudeF32Row& row : kMagnitudeF32) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t n = 0; n <= 150; ++n) {
      std::vector<float> a(n), b(n);
      float largest = 0, sum = 0;
      for (size_t i = 0; i < n; ++i) {
        a[i] = static_cast<float>(i * 37 % 101) - 60;
        b[i] = static_cast<float>(i * 11 % 29) - 20;
        largest = std::max({largest, std::fabs(a[i]), std::fabs(b[i])});
        sum += std::fabs(a[i]) + std::fabs(b[i]);
      }
      const float* const rows[] = {a.data(), b.data()};
      const MagnitudeF32 found = row.fn({2, n, rows});
      EXPECT_EQ(found.largest, largest) << n;
      EXPECT_EQ(found.sum, sum) << n;  // integers, which are added exactly
    }
  }
}

TEST(MagnitudeF32, WhatIsNotFiniteIsInTheSum) {
  for (const MagnitudeF32Row& row : kMagnitudeF32) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t at = 0; at < 83; ++at) {
      std::vector<float> x(83, 1);
      const float* const rows[] = {x.data()};
      x[at] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(row.fn({1, x.size(), rows}).sum));
      x[at] = -std::numeric_limits<float>::infinity();
      EXPECT_TRUE(std::isinf(row.fn({1, x.size(), rows}).sum));
    }
  }
}

}  // namespace
}  // namespace mace::cpu
