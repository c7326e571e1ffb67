// What tests of the GPU make of a machine without one.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_GPU_NEEDED_H_
#define MACE_TESTING_GPU_NEEDED_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mace::testing {

// Ends the test as failed where a suite of tools/test.sh has chosen a driver,
// by MACE_TEST_NEEDS_GPU, and as skipped elsewhere. The caller must return
// after it.
inline void FailOrSkipWithoutGpu(const std::string& reason) {
  if (std::getenv("MACE_TEST_NEEDS_GPU") != nullptr) {
    FAIL() << "no GPU, nothing is tested: " << reason;
  }
  GTEST_SKIP() << "no GPU: " << reason;
}

}  // namespace mace::testing

#endif  // MACE_TESTING_GPU_NEEDED_H_
