// What planning and running write to the log, by level.
// SPDX-License-Identifier: Apache-2.0
//
//   VLOG 1  one line for each engine that is created; for each plan, and for
//           each run that succeeds, one line with its latency
//        2  one line for each op of these runs, with its latency
//        3  the decisions of the plan: memory savings, the search for an order,
//           devices; the kernel and the multiply-adds of each op
//        4  where the outputs of each op lie
//
// Without the component `diagnostics` there are only the lines of engines and
// plans.
#ifndef MACE_RUNTIME_REPORT_RUN_LOG_H_
#define MACE_RUNTIME_REPORT_RUN_LOG_H_

#include <cstdint>

#include "mace/plan/types/plan.h"
#include "mace/public/mace.h"

namespace mace {

// Returns whether a run must collect the statistics of its ops for LogRun.
bool LogsOps();

// Logs the line of a plan, and its text at level 3. `micros`: how long planning
// took.
void LogPlan(const Plan& plan, int64_t micros);

// Logs the decisions of the plan, and at level 4 where outputs of ops lie.
void LogPlanText(const Plan& plan);

// `metadata`: of the run, or empty unless LogsOps(). `micros`: its latency.
void LogRun(const RunMetadata& metadata, int64_t micros);

}  // namespace mace

#endif  // MACE_RUNTIME_REPORT_RUN_LOG_H_
