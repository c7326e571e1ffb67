// AssignMemory: lifetimes out of a plan's steps, offsets from a planner.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ASSIGN_MEMORY_H_
#define MACE_PLAN_ASSIGN_MEMORY_H_

#include <string>
#include <vector>

#include "mace/plan/plan.h"

namespace mace {

// Makes a record of each storage group that lives in the arena and of each
// scratch buffer, plans them with `strategy` and fills in the offsets and
// arena_bytes. `root` comes from AssignStorage.
// Errors: MACE_INVALID_ARGS for an unknown strategy, MACE_OUT_OF_RESOURCES for
// sizes that overflow.
Status AssignMemory(Plan& plan, const std::vector<int>& root,
                    const std::string& strategy);

}  // namespace mace

#endif  // MACE_PLAN_ASSIGN_MEMORY_H_
