// Half precision (IEEE 754 binary16) as bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_HALF_H_
#define MACE_BASE_HALF_H_

#include <cstdint>

namespace mace {

// The nearest half, ties to even; beyond 65504 infinity.
uint16_t ToHalf(float value);
float FromHalf(uint16_t bits);

}  // namespace mace

#endif  // MACE_BASE_HALF_H_
