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

// Returns whether micro-kernel `name` may be used. Unless RememberKernelTests
// gave its result, the first call runs `test(arg)`, which returns whether the
// kernel's numbers are right, in a probe (probe.h), or in this process where
// that is not allowed. `name` must live until the process ends. A test that
// could not run, because the machine had no memory or killed the probe, counts
// as passed, and the next call runs it again. Thread-safe; other threads wait
// meanwhile.
bool KernelPasses(const char* name, const void* arg,
                  bool (*test)(const void* arg));

// Records that `instead` replaces micro-kernel `failed`, which did not pass;
// null: none is left for its work (CheckKernelsLeft). The first replacement of
// a micro-kernel is logged. Does nothing if there was no memory to record that
// `failed` did not pass.
void ReplaceKernel(const char* failed, const char* instead);

// Returns an error if a micro-kernel failed for which there is no other: then
// no engine may run. Errors: MACE_RUNTIME_ERROR, with the kernel's name.
Status CheckKernelsLeft();

// Returns the results of the micro-kernels used so far, also remembered ones,
// in the order of first use.
std::vector<KernelTest> KernelTests();

// WriteKernelTests returns KernelTests() as text for a storage.
// RememberKernelTests takes what an earlier process wrote, in place of what it
// was given before: a line counts in place of a test of its micro-kernel, from
// that kernel's first use on. A last line without its end and lines of unknown
// micro-kernels are ignored.
std::string WriteKernelTests();
void RememberKernelTests(const std::string& text);

}  // namespace mace

#endif  // MACE_BASE_KERNEL_TESTS_H_
