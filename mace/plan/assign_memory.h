// AssignMemory: lifetimes out of a plan's steps, offsets from a planner.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ASSIGN_MEMORY_H_
#define MACE_PLAN_ASSIGN_MEMORY_H_

#include "mace/plan/plan.h"

namespace mace {

// Decides where every value and every kernel's scratch lies: groups values
// that share bytes (storage.h), makes a record of each group in the arena and
// of each scratch, plans them with `strategy`, drops the steps that only rename
// bytes. Fills places, copies, savings and all fields about memory of `plan`.
// A saving that would raise the lower bound of the plan at hand is left out.
// Of `options` it reads the strategy, the savings and the embedded plan.
// Errors: MACE_INVALID_ARGS for an unknown strategy, MACE_OUT_OF_RESOURCES for
// sizes that overflow.
Status AssignMemory(Plan& plan, const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_ASSIGN_MEMORY_H_
