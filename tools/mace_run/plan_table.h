// The table of a plan's steps: what the cost model and the machine's limits
// say, beside what was measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_PLAN_TABLE_H_
#define TOOLS_MACE_RUN_PLAN_TABLE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "mace/cpu/machine_limits.h"
#include "tools/mace_run/statistics.h"

namespace mace::tools {

// What bounds a step: no program with its arithmetic and its data can be
// faster, unless the data was in a cache before.
struct Roofline {
  double compute_us = 0;  // its multiply-adds at the CPU's peak
  double memory_us = 0;   // its inputs, weights and outputs once from memory

  bool is_compute() const { return compute_us >= memory_us; }
  double us() const { return is_compute() ? compute_us : memory_us; }
};
Roofline RooflineOf(const OperatorStats& op, const cpu::MachineLimits& limits);

// One line for each step: predicted, measured (the shortest of all runs) and
// roofline time, who chose the kernel, and what it took when that was measured.
// No wider than `width` (0: as wide as it is, with full names).
std::string FormatPlanTable(const Benchmark& benchmark,
                            const cpu::MachineLimits& limits, int width);

// The same as {"gflops", "memory_gbps", "steps": [...]}.
nlohmann::json PlanJson(const Benchmark& benchmark,
                        const cpu::MachineLimits& limits);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_PLAN_TABLE_H_
