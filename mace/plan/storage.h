// Storage: which values share bytes, and where each group of them may live.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STORAGE_H_
#define MACE_PLAN_STORAGE_H_

#include "mace/plan/plan.h"

namespace mace {

// Fills plan.places for all values but those in the arena, whose offset is
// still open, drops the steps that only rename bytes (views), and lists the
// outputs that have to be copied.
//
// A view shares the bytes of its input. A group of values linked by views lives
// with its graph input, in the caller's memory of an output it holds, or else
// in the arena.
//
// Returns, by value id, the value that stands for its group.
std::vector<int> AssignStorage(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_STORAGE_H_
