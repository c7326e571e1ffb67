// Guard mode: bytes that no tensor lives in are made NaN, so that a kernel that
// reads them cannot go unseen.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_GUARD_H_
#define MACE_RUNTIME_GUARD_H_

#include <cstdint>
#include <vector>

#include "mace/plan/plan.h"

namespace mace {

// The bytes [begin, end) of the arena.
struct ByteRange {
  int64_t begin, end;
};

// By step, and once more for the time before the first: the ranges of the arena
// that hold nothing live once the step has run.
std::vector<std::vector<ByteRange>> DeadRanges(const Plan& plan);

// Sets every byte to 0xff: NaN in every float type.
void Poison(void* arena, const std::vector<ByteRange>& ranges);

}  // namespace mace

#endif  // MACE_RUNTIME_GUARD_H_
