// Records which rows of the tables a test runs, in its results: from these,
// tools/rings/summary.py prints the rows that no test ran.
// SPDX-License-Identifier: Apache-2.0
//
// tables_test records all rows of the tables, tests of micro-kernels those that
// they run, both as properties in the XML files of gtest. So a row that no CPU
// of a ring of tests can run is noticed.
#ifndef MACE_CPU_UKERNELS_TESTING_ROWS_H_
#define MACE_CPU_UKERNELS_TESTING_ROWS_H_

#include <gtest/gtest.h>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

// Returns whether this CPU has the features of the row. Unlike RunsHere,
// records nothing: for tests of code that calls micro-kernels.
template <typename Row>
bool FitsThisCpu(const Row& row) {
  return (row.isa & DetectCpuFeatures()) == row.isa;
}

// Returns whether this CPU can run the row, and if so, records in the results
// of the test that it has run: a property with the row's name and the value
// "executed". So a test that gets true must run the row. Call this only on the
// thread of a running test.
template <typename Row>
bool RunsHere(const Row& row) {
  if (!FitsThisCpu(row)) return false;
  ::testing::Test::RecordProperty(row.name, "executed");
  return true;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_ROWS_H_
