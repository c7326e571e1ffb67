// Requantizes sums, rounded once, on 32-bit Arm.
// SPDX-License-Identifier: Apache-2.0
#include "mace/cpu/ukernels/requantize_q8/requantize_once_q8_plain.h"

namespace mace::cpu {

void requantize_once_q8__neon(const RequantizeQ8Tile& t) {
  for (size_t i = 0; i < t.m; ++i) RequantizeOnce(t, i, 0);
}

}  // namespace mace::cpu
