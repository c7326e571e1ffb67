// The validator of plans. It shares only the definitions of problem.h with the
// planners.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_VALIDATE_H_
#define MACE_MEMORY_PROBLEM_VALIDATE_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// Returns whether records `a` and `b` of the same pool may overlap in memory
// while both live, if offset(b) - offset(a) is `distance`. They may if they are
// pieces of one tree of aliases, if a declared overlap is safe at this
// distance, or if both are fixed (or aliases of fixed records) and the problem
// permits it.
bool MayOverlap(const Problem& problem, int32_t a, int32_t b, int64_t distance);

// Validates a plan by comparing every pair, in O(n^2): the objects if the plan
// has any, otherwise the offsets; the totals; and the capacity of each pool (0:
// none). Errors: MACE_INTERNAL_ERROR with what is wrong. REQUIRES:
// Check(problem) is OK.
Status Validate(const Problem& problem, const Plan& plan, int64_t capacity = 0);

// Validates untrusted offsets, such as a plan from a file, by a sweep over
// addresses: in O(n log n) if few records use the same addresses one after the
// other, at worst in O(n^2). All records must lie in [0, arena_bytes) of their
// pool, but records without bytes are not checked. Errors: MACE_INVALID_ARGS,
// naming the records. REQUIRES: Check(problem) is OK.
Status VerifyOffsets(const Problem& problem,
                     const std::vector<int64_t>& offsets, int64_t arena_bytes);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_VALIDATE_H_
