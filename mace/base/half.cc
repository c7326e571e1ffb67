// Converting between float and half.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/half.h"

#include <cmath>
#include <cstring>

namespace mace {

uint16_t ToHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return sign | 0x7e00;   // NaN
  if (bits >= 0x477ff000) return sign | 0x7c00;  // rounds to 2^16 or is larger
  if (bits < 0x38800000) {
    // Below 2^-14 halves are multiples of 2^-24: the sum rounds to one of them
    // in the lowest bits of 0.5f.
    float magnitude;
    std::memcpy(&magnitude, &bits, sizeof(magnitude));
    magnitude += 0.5f;
    std::memcpy(&bits, &magnitude, sizeof(bits));
    return sign | static_cast<uint16_t>(bits - 0x3f000000);
  }
  // 13 bits go: add half of their unit, less one if the result would be odd.
  bits += 0xfff + (bits >> 13 & 1);
  return sign | static_cast<uint16_t>((bits - 0x38000000) >> 13);
}

float FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  float magnitude;
  if (exponent == 31) {
    magnitude = fraction != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace mace
