// Conversions between float32 and the 16-bit types: fp16 (IEEE 754 binary16)
// and bf16 (bfloat16).
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_FP16_H_
#define MACE_BASE_FP16_H_

#include <cstdint>

namespace mace {

// Converting to float32 is exact. Converting to 16 bits rounds to the nearest
// value, ties to even; values beyond the range of the type become infinity, and
// NaN stays NaN. Threads that flush denormals keep those of fp16 and bf16.
// REQUIRES, to convert to fp16: the thread rounds to nearest (denormals.h).
float FromFp16(uint16_t fp16);
uint16_t ToFp16(float value);
float FromBfloat16(uint16_t value);
uint16_t ToBfloat16(float value);

// Convert n elements, as FromFp16, FromBfloat16 and ToFp16 do.
void WidenFp16(const uint16_t* fp16, int64_t n, float* to);
void WidenBfloat16s(const uint16_t* values, int64_t n, float* to);
void NarrowToFp16(const float* values, int64_t n, uint16_t* to);

constexpr float kFp16Infinity = 65520;  // the least that ToFp16 makes infinite
// Returns the largest magnitude of the finite ones of n elements; 0 if there
// are none.
float LargestFinite(const float* values, int64_t n);
// Whether fp16 holds n elements about as float32 does: no finite one becomes
// infinite, and they are not all so small (below 2^-14, but not all 0) that
// fp16 has fewer digits for them.
bool FitsFp16(const float* values, int64_t n);

}  // namespace mace

#endif  // MACE_BASE_FP16_H_
