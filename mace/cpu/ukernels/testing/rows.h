// Which rows of the tables of micro-kernels a test runs, for its log and its
// results: tools/test_report.py lists those that no test ran.
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

// Whether this CPU has what the row needs. A test that hears so runs it.
template <typename Row>
bool RunsHere(const Row& row) {
  if (!FitsThisCpu(row)) return false;
  ::testing::Test::RecordProperty(row.name, "executed");
  return true;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_ROWS_H_
