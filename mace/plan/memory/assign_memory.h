// AssignMemory: determines lifetimes from a plan's steps, and offsets with a
// planner.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_ASSIGN_MEMORY_H_
#define MACE_PLAN_MEMORY_ASSIGN_MEMORY_H_

#include "mace/plan/types/plan.h"
#include "mace/plan/types/plan_options.h"

namespace mace {

// Decides where every value and every kernel's scratch lies. Groups values that
// share bytes (storage.h), makes a record of each group in the arena and of
// each scratch, plans the records with the strategy, and removes steps that
// only rename bytes. Fills in locations, copies, savings and all fields of
// `plan` about memory, and may change the order of its steps. A saving that
// would raise the lower bound of this plan is left out, unless the savings are
// those of options.like. Of `options`, it reads all but the devices. Errors:
// MACE_INVALID_ARGS for an unknown strategy, an offline plan that does not fit,
// or sizes that overflow; MACE_UNSUPPORTED for a strategy that this library
// does not have; MACE_OUT_OF_RESOURCES; MACE_CANCELLED.
Status AssignMemory(Plan& plan, const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ASSIGN_MEMORY_H_
