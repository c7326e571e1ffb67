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

// A call can be copied; copies share the operands, which live as long as any of
// them. Calls of one row may run one after the other, on any thread, but not at
// the same time.
struct UkernelCall {
  // Of the row, with "/function" if it has several. test/arm counts the
  // instructions of calls that multiply and have no function in their name:
  // these names are the keys of budget.json.
  std::string name;
  CpuFeatures isa;  // what the CPU must have
  // Multiply-adds of a run; if 0, `bytes` counts, and otherwise it is 0.
  double macs = 0;
  double bytes = 0;  // that a run reads and writes in the cache
  // Calls the micro-kernel, a few times if one call is too short to be timed,
  // which `macs` includes. Packing of rows is part of it, where rows are packed
  // in each inference. REQUIRES: the CPU has `isa`.
  std::function<void()> run;
};

// Returns at least one call of each row of each table, in the order of the
// tables (ForEachRow), also of those that this CPU cannot run. It calls none.
std::vector<UkernelCall> TypicalCalls();

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_CALLS_H_
