// Draws a plan as text: a line for each step, addresses from left to right.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_PLAN_TEXT_H_
#define MACE_MEMORY_PROBLEM_PLAN_TEXT_H_

#include <string>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Returns a line for each record and a line for each step, in the format of
// TensorFlow Lite Micro. The arena is 80 columns wide: 0-9, a-z and A-Z stand
// for records by id; * for records that live for one step only (or have no
// letter left); ! for bytes that two records occupy; . for free bytes. The
// kilobytes that are live follow.
//
//   0 (id=0): size=10, offset=50, first_used=0 last_used=1
//    0: 444444444444444444444444444444444444440000000.................. (1k)
std::string PlanText(const Problem& problem,
                     const std::vector<int64_t>& offsets);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_PLAN_TEXT_H_
