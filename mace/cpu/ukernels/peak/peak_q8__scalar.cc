// The int8 peak in plain C++.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/peak/peak_q8_loop.h"

namespace mace::cpu {

int32_t peak_q8__scalar(size_t rounds, int8_t a, int8_t b) {
  const uint32_t product = static_cast<uint32_t>(a * b);
  return PeakOf(
      rounds, uint32_t{0},
      [product](uint32_t& sum) {
        sum += product;
        asm volatile("" : "+r"(sum));
      },
      [](uint32_t sum) { return sum; });
}

}  // namespace mace::cpu
