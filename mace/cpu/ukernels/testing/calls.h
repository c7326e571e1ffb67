// Typical calls of each micro-kernel, made from the tables. ukernels_bench
// times these calls, and test/arm counts their instructions.
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
  // The name of the row, with "/function" or "/type" if the row has several
  // calls; the main one may be without. test/arm counts the instructions of
  // calls that have macs and no "/": these names are the keys of budget.json.
  std::string name;
  CpuFeatures isa;  // what the CPU must have
  // Multiply-adds of a run (of peak_q8, operations: twice as many). If 0, the
  // run is measured by `bytes`.
  double macs = 0;
  double bytes = 0;  // that a run reads and writes in the cache
  // Calls the micro-kernel, a few times if one call is too short to be timed;
  // `macs` and `bytes` count all of these. Where an inference packs rows, the
  // run packs them, too. REQUIRES: the CPU has `isa`.
  std::function<void()> run;
};

// Returns at least one call of each row of each table, in the order of
// ForEachRow, also of rows that this CPU cannot run. Runs none of them.
std::vector<UkernelCall> TypicalCalls();

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_CALLS_H_
