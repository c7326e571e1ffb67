// The table of planners, and the function that runs them.
// SPDX-License-Identifier: Apache-2.0
//
// A planner is a pure function unless there is a time limit or it is cancelled:
// the same problem and options give the same plan. Names begin with the kind of
// plan: "offsets/" places records in an arena, "objects/" assigns them to
// shared objects (buffers or images).
#ifndef MACE_MEMORY_PLANNERS_H_
#define MACE_MEMORY_PLANNERS_H_

#include <string>
#include <vector>

#include "mace/memory/problem/planner.h"
#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Whether this build has any planner of objects.
bool HasObjects();

// Returns every planner, the offsets/ ones first. Planner::plan is null for
// those that need the component `memory_tools` if this library was built
// without it, and then, without a GPU, for all of objects/.
const std::vector<Planner>& Planners();

// Returns null if there is no planner of this name.
const Planner* FindPlanner(const std::string& name);

// Plans with the named strategy, certifies the plan, and in debug builds
// validates it. Errors: MACE_INVALID_ARGS for an unknown strategy, and those of
// Check; MACE_UNSUPPORTED for sizes or fixed offsets that the strategy cannot
// handle, or a planner that this library does not have; in debug builds
// MACE_INTERNAL_ERROR for a wrong plan. A capacity that cannot be met is not an
// error: see Certificate::Status.
Result<Plan> Solve(const Problem& problem, const std::string& strategy,
                   const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_PLANNERS_H_
