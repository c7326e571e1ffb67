// What a plan hands on to plans of the same steps with other shapes. A library
// without the component `dynamic` hands on nothing.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_KEEP_PATTERN_H_
#define MACE_PLAN_MEMORY_KEEP_PATTERN_H_

#include <cstdint>
#include <memory>

#include "mace/memory/problem/problem.h"
#include "mace/plan/types/memory_pattern.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Returns a hash of the names of the steps' nodes, fused ones included, and of
// the values that they read and write: what the steps are, apart from shapes.
uint64_t HashOfSteps(const Plan& plan);

// Takes over the offsets of `like` as plan.memory_plan and returns true, if the
// records have the same lifetimes as in `like`, none is larger, and the offsets
// are valid for them. Otherwise returns false and leaves `plan` unchanged.
bool KeepOffsets(const MemoryPattern& like, const memory::Problem& problem,
                 Plan& plan);

// Makes `pattern`, completed by these records, that of the plan.
void KeepPattern(const memory::Problem& problem,
                 std::shared_ptr<MemoryPattern> pattern, Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_KEEP_PATTERN_H_
