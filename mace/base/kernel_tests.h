// Which micro-kernels this CPU computes with as they should: each runs a small
// known case before it is used for the first time.
// SPDX-License-Identifier: Apache-2.0
//
// The results belong to the process. Those of an earlier process count where
// the app gives a storage (RememberKernelTests).
#ifndef MACE_BASE_KERNEL_TESTS_H_
#define MACE_BASE_KERNEL_TESTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "mace/base/status.h"

namespace mace {

// Whether this library tests its micro-kernels: --define=self_test=false leaves
// their cases out.
#ifdef MACE_WITHOUT_SELF_TEST
inline constexpr bool kHasSelfTest = false;
#else
inline constexpr bool kHasSelfTest = true;
#endif

// Names are those of tables, which outlive all.
struct KernelTest {
  std::string_view kernel;
  std::string_view reason;    // why it is switched off; empty: it is right
  std::string_view fallback;  // what is used in its place; empty: nothing is
};

// Returns whether micro-kernel `name` may be used. The first call runs
// `test(arg)`, which returns whether its numbers are right, in a probe. `name`
// must live until the process ends. A test that could not run, as the machine
// had no memory, is taken as passed, and run again by the next call.
// Thread-safe; other threads wait meanwhile.
bool KernelPasses(const char* name, const void* arg,
                  bool (*test)(const void* arg));

// Micro-kernel `failed`, which does not pass, is replaced by `instead`; null:
// none is left for its work. Logged when it is called first.
void ReplaceKernel(const char* failed, const char* instead);

// Returns an error if a micro-kernel failed for which there is no other: then
// nothing may run. Errors: MACE_RUNTIME_ERROR, with its name.
Status CheckKernelsLeft();

// All that were tested, in the order of their first use.
std::vector<KernelTest> KernelTests();

// What KernelTests returned, as text for a storage, and what an earlier process
// wrote there: each line counts in place of a test of its micro-kernel. Lines
// of others are ignored.
std::string WriteKernelTests();
void RememberKernelTests(const std::string& text);

}  // namespace mace

#endif  // MACE_BASE_KERNEL_TESTS_H_
