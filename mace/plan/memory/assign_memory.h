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
// only rename bytes. Fills in places, copies, savings and all fields of `plan`
// about memory. A saving that would raise the lower bound of this plan is left
// out. Of `options`, it reads the strategy, the savings, and the offline and
// embedded plans. Errors: MACE_INVALID_ARGS for an unknown strategy, or an
// offline plan that does not fit; MACE_OUT_OF_RESOURCES for sizes that
// overflow.
Status AssignMemory(Plan& plan, const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ASSIGN_MEMORY_H_
