// Checked arithmetic of sizes, for the host and for the DSP.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PROTOCOL_SIZES_H_
#define MACE_HEXAGON_PROTOCOL_SIZES_H_

#include <stdint.h>

namespace mace::hexagon {

// Products that are too large become kHuge, which no tensor has. Three of them
// can be added without an overflow, so sums of sizes need no check. A negative
// int32_t becomes a large uint64_t and its products, other than with 0, kHuge.
constexpr uint64_t kHuge = uint64_t{1} << 62;
inline uint64_t Times(uint64_t a, uint64_t b) {
  if (((a | b) >> 31) == 0) return a * b;  // without a division, mostly
  if (a == 0 || b == 0) return 0;
  return a > kHuge / b ? kHuge : a * b;
}
inline uint64_t Times(uint64_t a, uint64_t b, uint64_t c) {
  return Times(Times(a, b), c);
}
inline uint64_t Times(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return Times(Times(a, b), Times(c, d));
}
// The smallest multiple of b that is not below a. REQUIRES: b > 0 and a + b - 1
// does not overflow, as for a <= kHuge and any alignment.
inline uint64_t RoundUp(uint64_t a, uint64_t b) { return (a + b - 1) / b * b; }
// Whether least <= x <= most.
inline bool IsWithin(int32_t x, int32_t least, int32_t most) {
  return x >= least && x <= most;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_SIZES_H_
