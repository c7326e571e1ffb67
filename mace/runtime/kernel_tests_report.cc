// GetKernelTests: the tests of micro-kernels, for apps.
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "mace/base/kernel_tests.h"
#include "mace/public/mace_capability.h"

namespace mace {

std::vector<MaceKernelTest> GetKernelTests() {
  std::vector<MaceKernelTest> tests;
  for (const KernelTest& test : KernelTests()) {
    tests.push_back({std::string(test.kernel), std::string(test.reason),
                     std::string(test.fallback)});
  }
  return tests;
}

}  // namespace mace
