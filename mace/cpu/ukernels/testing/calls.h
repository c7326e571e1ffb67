// A typical call of each micro-kernel, made from the tables. Benchmarks time
// these calls, and another test counts their instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_CALLS_H_
#define MACE_CPU_UKERNELS_TESTING_CALLS_H_

#include <functional>
#include <string>
#include <vector>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

struct UkernelCall {
  std::string name;  // of the row, with "/function" if it has several
  CpuFeatures isa;   // what the CPU must have
  double macs = 0;   // multiply-adds of a run; if there are none,
  double bytes = 0;  // the bytes that it reads and writes in the cache
  std::function<void()> run;
};

// Returns at least one call of each row of each table, in the order of the
// tables.
std::vector<UkernelCall> TypicalCalls();

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_CALLS_H_
