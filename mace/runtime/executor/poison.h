// Poison: fills bytes that hold no live tensor with NaN, so that a kernel which
// reads them gives itself away.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_POISON_H_
#define MACE_RUNTIME_EXECUTOR_POISON_H_

#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// The bytes [begin, end) of the arena.
struct ByteRange {
  int64_t begin, end;
};

// Returns the ranges of the arena that hold nothing live: entry 0 is for the
// time before the first step, entry s + 1 for the time once step s has run. The
// ranges of an entry ascend and do not overlap; scratch is never live between
// steps. Errors: MACE_UNSUPPORTED if this library does not poison memory.
Result<std::vector<std::vector<ByteRange>>> UnusedRanges(const Plan& plan);

// Sets every byte of the ranges to 0xff, which is NaN in every floating-point
// type. `arena` has the bytes of the plan.
void Poison(void* arena, const std::vector<ByteRange>& ranges);

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_POISON_H_
