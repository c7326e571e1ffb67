// Storage: which values share bytes, and where each group of them may live.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STORAGE_H_
#define MACE_PLAN_STORAGE_H_

#include <vector>

#include "mace/plan/plan.h"

namespace mace {

// Values in groups that share bytes. A group lives in one place, that of its
// root; a member begins `offset` bytes into it.
struct Storage {
  std::vector<int> root;        // by value id
  std::vector<int64_t> offset;  // by value id
  std::vector<int64_t> bytes;   // of the group, by root
  std::vector<Place> places;    // by value id; the offsets within the arena
                                // are relative to the group, the index of an
                                // image is its root
  std::vector<bool> elided;     // by step: only renames bytes, need not run
  std::vector<Plan::Copy> copies;
};

// Groups the values of plan.graph as `savings` allows, in the order of
// plan.steps:
//
//   views     the output of a Reshape, or of a Split or Slice that takes a
//             contiguous range, lies where its input lies
//   in_place  the output of a kernel that allows it takes the bytes of an input
//             that nothing reads later
//   concat    the inputs of a Concat along the outermost extent lie in its
//             output
//
// A group lives with the constant or graph input it holds, in the caller's
// memory of a graph output it holds, or else in the arena. Nothing is merged
// that would make a step write to a constant or to the caller's input.
Storage AssignStorage(const Plan& plan, const MemorySavings& savings);

}  // namespace mace

#endif  // MACE_PLAN_STORAGE_H_
