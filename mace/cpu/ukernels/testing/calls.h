// A typical call of each micro-kernel, generated from the tables: what
// benchmarks time, and what instructions are counted of.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_CALLS_H_
#define MACE_CPU_UKERNELS_TESTING_CALLS_H_

#include <functional>
#include <string>
#include <vector>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

struct UkernelCall {
  std::string name;  // of the row, and "/function" of one of a set
  CpuFeatures isa;   // what the CPU must have
  double macs = 0;   // multiply-adds of a run; or, where there are none,
  double bytes = 0;  // what it reads and writes, in first-level cache
  std::function<void()> run;
};

// At least one of each row of each table, rows as in the tables.
std::vector<UkernelCall> TypicalCalls();

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_CALLS_H_
