// The int8 peak by SDOT.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/peak/peak_q8_loop.h"

namespace mace::cpu {

int32_t peak_q8__dotprod(size_t rounds, int8_t a, int8_t b) {
  const int8x16_t x = vdupq_n_s8(a), y = vdupq_n_s8(b);
  return PeakOf(
      rounds, vdupq_n_s32(0),
      [x, y](int32x4_t& sum) {
        sum = vdotq_s32(sum, x, y);
        asm volatile("" : "+w"(sum));
      },
      [](int32x4_t sum) { return vaddvq_s32(sum); });
}

}  // namespace mace::cpu
