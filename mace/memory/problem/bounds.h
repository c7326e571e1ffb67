// Lower bounds: the bytes that no plan can undercut.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_BOUNDS_H_
#define MACE_MEMORY_PROBLEM_BOUNDS_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// A step, and the bytes that every plan needs for it.
struct Peak {
  int64_t step = 0;
  int64_t bytes = 0;
};

// Returns the largest sum of the records that live together: with alignment, or
// of the bare sizes less what overlaps can save if the problem has any. Or the
// end of the highest fixed record and its first step, if that is more. Fixed
// records that may overlap each other count by their ends only. REQUIRES: a
// reduced problem.
Peak OffsetsLowerBound(const Problem& problem);

// Returns the sum of the positional maxima: over all k, the largest k-th
// largest record of any step (Pisarchyk & Lee, arXiv 2001.03288, section 4.1).
// REQUIRES: a reduced problem.
int64_t ObjectsLowerBound(const Problem& problem);

// Returns the positional maxima in bytes, largest first.
std::vector<int64_t> PositionalMaxima(const Problem& problem);

// The records that are live at a step, by decreasing size, then by id.
struct Profile {
  int64_t step;
  std::vector<int32_t> records;
};
// Returns the profile of each step at which some record begins, by ascending
// step. At other steps, no further records are live.
std::vector<Profile> Profiles(const Problem& problem);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_BOUNDS_H_
