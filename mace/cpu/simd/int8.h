// Int8: 16 bytes of stored int8 or int4 values, and their conversion to floats.
// The functions have the same names for every instruction set, as in simd.h.
// SPDX-License-Identifier: Apache-2.0
//
// LoadInt8 fills a register of 16 bytes, whatever the length of F32 is:
//
//   LoadInt8(p)      16 bytes from any address: int8 values, or pairs of int4
//   LowHalves(x)     the low 4 bits of each byte, 0 to 15, minus 8
//   HighHalves(x)    the high 4 bits of each byte, minus 8
//   ToFloats(x, to)  the values as floats: to[v] has those from v * kLanes on
//
// In a block of 32 int4 values, byte b has value b in its low half and 16 + b
// in its high half (mace/graph/stored_weight.h), so that LowHalves are the
// values 0 to 15 and HighHalves 16 to 31.
#ifndef MACE_CPU_SIMD_INT8_H_
#define MACE_CPU_SIMD_INT8_H_

#include "mace/cpu/simd/simd.h"

namespace mace::simd {
namespace {

// Values of an Int8; as loaded, each may also be a pair of int4 values.
constexpr size_t kInt8Lanes = 16;
// The vectors that 16 floats fill: 1 on AVX-512, 2 on AVX2, 4 on NEON and 16 in
// plain C++.
constexpr size_t kInt8Vectors = kInt8Lanes / kLanes;

#if defined(MACE_SIMD_SCALAR) || \
    !(defined(__AVX2__) || defined(__AVX512F__) || defined(__ARM_NEON))

struct Int8 {
  int8_t value[kInt8Lanes];
};
inline Int8 LoadInt8(const uint8_t* p) {
  Int8 quantized;
  __builtin_memcpy(&quantized, p, sizeof(quantized));
  return quantized;
}
// The definition for the instruction sets below.
inline Int8 LowHalves(const Int8& pairs) {
  Int8 quantized;
  for (size_t i = 0; i < kInt8Lanes; ++i) {
    quantized.value[i] = static_cast<int8_t>((pairs.value[i] & 15) - 8);
  }
  return quantized;
}
inline Int8 HighHalves(const Int8& pairs) {
  Int8 quantized;
  for (size_t i = 0; i < kInt8Lanes; ++i) {
    const auto byte = static_cast<uint8_t>(pairs.value[i]);
    quantized.value[i] = static_cast<int8_t>((byte >> 4) - 8);
  }
  return quantized;
}
inline void ToFloats(const Int8& quantized, F32* to) {
  for (size_t i = 0; i < kInt8Lanes; ++i)
    to[i] = static_cast<float>(quantized.value[i]);
}

#elif defined(__ARM_NEON)

using Int8 = int8x16_t;

inline Int8 LoadInt8(const uint8_t* p) {
  return vreinterpretq_s8_u8(vld1q_u8(p));
}
inline Int8 LowHalves(Int8 pairs) {
  return vsubq_s8(vandq_s8(pairs, vdupq_n_s8(15)), vdupq_n_s8(8));
}
inline Int8 HighHalves(Int8 pairs) {
  const uint8x16_t high = vshrq_n_u8(vreinterpretq_u8_s8(pairs), 4);
  return vsubq_s8(vreinterpretq_s8_u8(high), vdupq_n_s8(8));
}
inline void ToFloats(Int8 quantized, F32* to) {
  const int16x8_t low = vmovl_s8(vget_low_s8(quantized));
  const int16x8_t high = vmovl_s8(vget_high_s8(quantized));
  to[0] = vcvtq_f32_s32(vmovl_s16(vget_low_s16(low)));
  to[1] = vcvtq_f32_s32(vmovl_s16(vget_high_s16(low)));
  to[2] = vcvtq_f32_s32(vmovl_s16(vget_low_s16(high)));
  to[3] = vcvtq_f32_s32(vmovl_s16(vget_high_s16(high)));
}

#else

using Int8 = __m128i;

inline Int8 LoadInt8(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline Int8 LowHalves(Int8 pairs) {
  return _mm_sub_epi8(_mm_and_si128(pairs, _mm_set1_epi8(15)),
                      _mm_set1_epi8(8));
}
inline Int8 HighHalves(Int8 pairs) {
  // There is no shift of bytes: bits of the neighbour come in, and are masked.
  return LowHalves(_mm_srli_epi16(pairs, 4));
}
inline void ToFloats(Int8 quantized, F32* to) {
#if defined(__AVX512F__)
  to[0] = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(quantized));
#else
  to[0] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(quantized));
  to[1] =
      _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(quantized, 8)));
#endif
}

#endif

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_INT8_H_
