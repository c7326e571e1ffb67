// The int8 peak micro-kernels do as many multiply-adds as they say.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/cpu/ukernels/peak/peak_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

TEST(PeakQ8, AddsEachProduct) {
  for (const PeakQ8& row : kPeakQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const size_t rounds : {0, 1, 10}) {
      EXPECT_EQ(row.fn(rounds, 3, 5),
                static_cast<int32_t>(15 * rounds * row.macs_per_round));
      EXPECT_EQ(row.fn(rounds, 2, -7),
                static_cast<int32_t>(rounds * row.macs_per_round) * -14);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
