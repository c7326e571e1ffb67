// What one strategy proves holds for the plans of the others.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_PLAN_SHARE_BOUNDS_H_
#define TOOLS_MACE_PLAN_SHARE_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::tools {

// Gives the plans of a kind ("offsets/", "objects/") the highest lower bound of
// their kind, and the status that follows from it: a plan at the bound is
// optimal, and none fits a capacity (0: none) below it.
// REQUIRES: plans of one and the same problem.
void ShareBounds(int64_t capacity, std::vector<memory::Plan>* plans);

}  // namespace mace::tools

#endif  // TOOLS_MACE_PLAN_SHARE_BOUNDS_H_
