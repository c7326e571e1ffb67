// Arithmetic on the sizes of blocks and rows.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BLOCKING_H_
#define MACE_CPU_COMMON_BLOCKING_H_

#include <algorithm>
#include <cstdint>

namespace mace::cpu {

// Returns a / b, rounded up. REQUIRES: a >= 0, b > 0.
inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns n doubled `times` times; if `times` is negative, n halved -times
// times, but not below 1.
inline int64_t Doubled(int64_t n, int64_t times) {
  return times < 0 ? std::max<int64_t>(n >> -times, 1) : n << times;
}

// Returns `floats` rounded up to an odd number of cache lines. At a distance of
// a power of two, all rows would compete for a few sets of a cache; an odd
// number of lines makes them spread over all sets.
inline int64_t SpreadOverSets(int64_t floats) {
  // A cache line of 64 bytes, as most CPUs have.
  constexpr int64_t kLineFloats = 16;
  return (CeilDiv(floats, kLineFloats) | 1) * kLineFloats;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_BLOCKING_H_
