// Records which rows of the tables a test runs, in its log and in its results:
// tools/rings/report.py lists the rows that no test ran.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_ROWS_H_
#define MACE_CPU_UKERNELS_TESTING_ROWS_H_

#include <gtest/gtest.h>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

template <typename Row>
bool FitsThisCpu(const Row& row) {
  return (row.isa & DetectCpuFeatures()) == row.isa;
}

// Returns whether this CPU can run the row. A test that gets true must run it.
template <typename Row>
bool RunsHere(const Row& row) {
  if (!FitsThisCpu(row)) return false;
  ::testing::Test::RecordProperty(row.name, "executed");
  return true;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_ROWS_H_
