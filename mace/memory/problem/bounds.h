// Lower bounds: what no plan can go below.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_BOUNDS_H_
#define MACE_MEMORY_PROBLEM_BOUNDS_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// A step and the bytes that live then.
struct Peak {
  int64_t step = 0;
  int64_t bytes = 0;
};

// The largest sum of the records that live together, less what declared
// overlaps can save, with alignment. REQUIRES: a reduced problem.
Peak OffsetsLowerBound(const Problem& problem);

// Sum of the positional maxima: the largest k-th largest record of any step,
// over k (Pisarchyk & Lee, arXiv 2001.03288, section 4.1).
// REQUIRES: a reduced problem.
int64_t ObjectsLowerBound(const Problem& problem);

// The k-th largest sizes themselves. Largest first.
std::vector<int64_t> PositionalMaxima(const Problem& problem);

// The records that live at each step at which one begins, steps ascending;
// records by decreasing size, ties by id. Elsewhere no more live than there.
struct Profile {
  int64_t step;
  std::vector<int32_t> records;
};
std::vector<Profile> Profiles(const Problem& problem);

// The same for any one step. Of a problem that is not reduced, too.
std::vector<int32_t> LiveAt(const Problem& problem, int64_t step);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_BOUNDS_H_
