// Sizes of blocks and rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BLOCKING_H_
#define MACE_CPU_COMMON_BLOCKING_H_

#include <cstdint>

namespace mace::cpu {

// REQUIRES: a >= 0, b > 0.
inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// At least so many floats, an odd number of cache lines, so that rows that far
// apart spread over all sets.
inline int64_t SpreadOverSets(int64_t floats) {
  constexpr int64_t kLineFloats = 16;
  return (CeilDiv(floats, kLineFloats) | 1) * kLineFloats;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_BLOCKING_H_
