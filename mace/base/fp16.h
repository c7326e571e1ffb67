// IEEE binary16 and bfloat16: the two halves of a float.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_HALF_H_
#define MACE_BASE_HALF_H_

#include <cstdint>

namespace mace {

// To a half: the nearest, ties to even, infinity beyond what it holds; a NaN
// stays one.
float FromHalf(uint16_t half);
uint16_t ToHalf(float value);
float FromBfloat16(uint16_t value);
uint16_t ToBfloat16(float value);

// The same for n elements, faster; where the CPU flushes denormals, halves that
// are such may become zeros.
void WidenHalves(const uint16_t* halves, int64_t n, float* to);
// Exact there, too.
void CastHalves(const uint16_t* halves, int64_t n, float* to);
void WidenBfloat16s(const uint16_t* values, int64_t n, float* to);
void NarrowToHalves(const float* values, int64_t n, uint16_t* to);

}  // namespace mace

#endif  // MACE_BASE_HALF_H_
