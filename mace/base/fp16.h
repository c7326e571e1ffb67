// IEEE binary16 and bfloat16: the two fp16 values of a float.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_FP16_H_
#define MACE_BASE_FP16_H_

#include <cstdint>

namespace mace {

// To a half: the nearest, ties to even, infinity beyond what it holds; a NaN
// stays one.
float FromFp16(uint16_t half);
uint16_t ToFp16(float value);
float FromBfloat16(uint16_t value);
uint16_t ToBfloat16(float value);

// The same for n elements, faster; where the CPU flushes denormals, fp16 values
// that are such may become zeros.
void WidenFp16(const uint16_t* fp16, int64_t n, float* to);
// Exact there, too.
void CastFp16(const uint16_t* fp16, int64_t n, float* to);
void WidenBfloat16s(const uint16_t* values, int64_t n, float* to);
void NarrowToFp16(const float* values, int64_t n, uint16_t* to);

}  // namespace mace

#endif  // MACE_BASE_FP16_H_
