// Conversion of fp16 (IEEE binary16) bits to floats and back, on any CPU.
// SPDX-License-Identifier: Apache-2.0
//
// No step has a denormal float as an operand or a result, which threads of a
// ThreadPool (mace/base/denormals.h) and armv7's NEON flush to zero.
#ifndef MACE_CPU_SIMD_FP16_BITS_H_
#define MACE_CPU_SIMD_FP16_BITS_H_

#include <cstdint>

namespace mace::simd {
namespace {

// Returns the fp16 value as a float, exactly; NaN keeps its bits. The exponent
// is biased by 15 in fp16 and by 127 in floats: 112 is added; for infinity and
// NaN once more, to reach 255. Below 2^-14 values have no implicit bit and are
// multiples of 2^-24.
inline float FloatOfFp16(uint16_t fp16) {
  const uint32_t magnitude = fp16 & 0x7fffu, sign = fp16 & 0x8000u;
  const uint32_t shifted = (magnitude << 13) + (112u << 23);
  const uint32_t bits = magnitude >= 0x7c00u ? shifted + (112u << 23) : shifted;
  float normal;
  __builtin_memcpy(&normal, &bits, sizeof(normal));
  const float denormal =
      static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
  const float value = magnitude < 0x400u ? denormal : normal;
  return sign != 0 ? -value : value;
}

// Returns the bits of x, which must be an fp16 value or NaN. Each NaN becomes
// 0x7e00 with the sign of x.
inline uint16_t Fp16OfFloat(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t found;
  if (magnitude > 0x7f800000u) {
    found = 0x7e00;
  } else if (magnitude == 0x7f800000u) {
    found = 0x7c00;
  } else if (magnitude < 113u << 23) {  // below 2^-14
    found = static_cast<uint32_t>(
        static_cast<int32_t>(__builtin_fabsf(x) * 0x1p24f));
  } else {
    found = (magnitude - (112u << 23)) >> 13;
  }
  return static_cast<uint16_t>(sign | found);
}

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_FP16_BITS_H_
