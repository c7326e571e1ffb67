// A plan as text: time down, address across.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_PLAN_TEXT_H_
#define MACE_MEMORY_PROBLEM_PLAN_TEXT_H_

#include <string>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// A line per record and a line per step, in the format of TensorFlow Lite
// Micro: 80 columns hold the arena; 0-9, a-z and A-Z stand for the records by
// id, * for those that live for one step (or have no letter left), ! for bytes
// that two records hold, . for free ones; and the kilobytes that live.
//
//   0 (id=0): size=10, offset=50, first_used=0 last_used=1
//    0: 444444444444444444444444444444444444440000000.................. (1k)
std::string PlanText(const Problem& problem,
                     const std::vector<int64_t>& offsets);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_PLAN_TEXT_H_
