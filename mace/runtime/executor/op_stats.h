// RunMetadata: what the ops of a run are, and how long each takes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_OP_STATS_H_
#define MACE_RUNTIME_EXECUTOR_OP_STATS_H_

#include <cstddef>

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"
#include "mace/public/mace.h"
#include "mace/runtime/executor/device_tensors.h"
#include "mace/runtime/executor/trace.h"

namespace mace {

// Clears `metadata`, unless it is null. Errors: MACE_UNSUPPORTED if this
// library times no ops.
Status BeginOpStats(RunMetadata* metadata);

// Runs a step, unless `args` is null, and adds its op to `metadata` if it
// succeeds. With a trace, the step is also a section of the system's trace.
// Errors: as Kernel::Run.
Status RunTimed(const Plan& plan, size_t step, const RunArgs* args,
                const Trace* trace, RunMetadata* metadata);

// Completes `metadata` once all devices have finished: only then do those that
// work in the background know the times of their kernels. `device_tensors` may
// be null. Splits the op of a region into those of its nodes, whose times are
// shares of the region's. REQUIRES: RunTimed was called for every step of the
// plan.
void FinishOpStats(const Plan& plan, const DeviceTensors* device_tensors,
                   RunMetadata* metadata);

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_OP_STATS_H_
