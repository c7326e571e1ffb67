// The validator: is a plan right? Shares no code with any planner.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_VALIDATE_H_
#define MACE_MEMORY_PROBLEM_VALIDATE_H_

#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// May records `a` and `b` of the same pool overlap in memory while both live,
// when offset(b) - offset(a) is `distance`? True of pieces of one alias tree,
// of declared overlaps, and of two fixed records (or aliases of such) where the
// problem says so.
bool MayOverlap(const Problem& problem, int32_t a, int32_t b, int64_t distance);

// Compares every pair: O(n^2). Checks whichever of offsets and objects the plan
// holds, the totals and the capacity (0: none).
// Errors: MACE_INTERNAL_ERROR, naming the records.
// REQUIRES: Check(problem) is fine.
Status Validate(const Problem& problem, const Plan& plan, int64_t capacity = 0);

// The same for untrusted offsets (a plan read from a file) in O(n log n) for
// plans that pack well: sweeps addresses. `arena_bytes` is what the offsets
// must stay inside of.
// Errors: MACE_INVALID_ARGS, naming the records.
Status VerifyOffsets(const Problem& problem,
                     const std::vector<int64_t>& offsets, int64_t arena_bytes);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_VALIDATE_H_
