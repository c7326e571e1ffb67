// What plans and runs write to the log, by level.
// SPDX-License-Identifier: Apache-2.0
//
//   VLOG 1   a line for each engine, plan and run, with its latency
//        2   a line for each op of each run, with its latency
//        3   what the plan decided: savings, the order's search, devices; and
//            of each op its kernel and multiply-adds
//        4   where each op's tensors lie
#ifndef MACE_RUNTIME_RUN_LOG_H_
#define MACE_RUNTIME_RUN_LOG_H_

#include <cstdint>

#include "mace/plan/plan.h"
#include "mace/public/mace.h"

namespace mace {

int64_t LogMicros();  // a steady clock's

// Whether runs are to collect what LogRun needs of each op.
bool LogsOps();

void LogPlan(const Plan& plan, int64_t micros);

// `metadata` of this run; empty unless LogsOps().
void LogRun(const RunMetadata& metadata, int64_t micros);

}  // namespace mace

#endif  // MACE_RUNTIME_RUN_LOG_H_
