// The table of a plan's steps: what the cost model and the machine's limits
// say, beside what was measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_PLAN_TABLE_H_
#define TOOLS_MACE_RUN_PLAN_TABLE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "mace/cpu/common/machine_limits.h"
#include "tools/mace_run/statistics.h"

namespace mace::tools {

// What bounds a step: no program with its arithmetic and its data can be
// faster. Data that a cache may hold from the step before bounds nothing.
struct Roofline {
  double compute_us = 0;    // its multiply-adds at the CPU's peak
  double memory_us = 0;     // its inputs, weights and outputs once from memory
  bool fits_cache = false;  // its data may be in a cache, or nobody knows

  bool is_compute() const { return compute_us >= memory_us; }
  // Whether to compare us() with the step's time. False where memory takes
  // longer than arithmetic, but a cache may hold the data: us() is then
  // compute_us, which the step cannot be expected to reach.
  bool is_limit() const { return is_compute() || !fits_cache; }
  const char* bound() const {
    return is_compute() ? "compute" : fits_cache ? "cache" : "memory";
  }
  double us() const {
    return is_limit() && !is_compute() ? memory_us : compute_us;
  }
};
Roofline RooflineOf(const OperatorStats& op, const cpu::MachineLimits& limits);

// One line for each step: predicted, measured (the shortest of all runs) and
// roofline time, who chose the kernel, and what it took when that was measured.
// No wider than `width` (0: as wide as it is, with full names).
std::string FormatPlanTable(const Benchmark& benchmark,
                            const cpu::MachineLimits& limits, int width);

// The same as {"gflops", "memory_gbps", "cache_bytes", "steps": [...]}.
nlohmann::json PlanJson(const Benchmark& benchmark,
                        const cpu::MachineLimits& limits);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_PLAN_TABLE_H_
