// The table of planners, and the one call that runs them.
// SPDX-License-Identifier: Apache-2.0
//
// A planner is a pure function: the same problem and node budget give the same
// plan. Names begin with the kind of plan: "offsets/" places records in an
// arena, "objects/" assigns them to shared objects (buffers or images).
#ifndef MACE_MEMORY_PLANNERS_H_
#define MACE_MEMORY_PLANNERS_H_

#include <string>
#include <vector>

#include "mace/memory/problem.h"

namespace mace::memory {

// Solves a reduced problem: one pool, no aliases, no empty records. Fills
// `offsets`, or `object_ids` and `object_sizes`; of the certificate `nodes`,
// and where it proves something `status` and `lower_bound`. What Solve() can
// derive it leaves alone.
using PlanFn = Result<Plan>(const Problem& problem, const Options& options);

struct Planner {
  const char* name;
  PlanFn* plan;
  // Rank of the sizes that it takes: 1, or up to that many.
  int max_rank;
  // Honours fixed offsets and overlaps.
  bool takes_constraints;
};

// Every planner, cheapest first within a kind.
const std::vector<Planner>& Planners();

// Null if there is none of that name.
const Planner* FindPlanner(const std::string& name);

// Plans with the named strategy, certifies the plan, and validates it in debug
// builds.
// Errors: MACE_INVALID_ARGS for an unknown strategy or a bad record;
// MACE_UNSUPPORTED for sizes or constraints that the strategy cannot take. That
// a capacity cannot be met is no error: see Certificate::Status.
Result<Plan> Solve(const Problem& problem, const std::string& strategy,
                   const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_PLANNERS_H_
