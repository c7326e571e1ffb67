// Conversion of binary16 and bfloat16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fp16.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstring>

#include "mace/base/cpu_features.h"

namespace mace {
namespace {

uint32_t BitsOf(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof(f));
  return f;
}

// FromFp16 without branches, so that compilers vectorize loops of a known
// length.
constexpr int kPiece = 16;

// No step has a denormal float, which threads may flush.
inline float Widen(uint16_t fp16) {
  const uint32_t magnitude = fp16 & 0x7fff;
  const uint32_t sign = static_cast<uint32_t>(fp16 & 0x8000) << 16;
  // The exponent's bias grows by 112. What has no exponent counts 2^-24.
  const uint32_t normal = (magnitude << 13) + (112u << 23);
  const uint32_t denormal =
      BitsOf(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t special =
      magnitude << 13 | 0x7f800000 | (magnitude > 0x7c00 ? 0x400000u : 0u);
  const uint32_t finite = magnitude < 0x400 ? denormal : normal;
  return FloatOf(sign | (magnitude >= 0x7c00 ? special : finite));
}

#if defined(__x86_64__)
// Converts as many elements as vectors hold, and returns their number.
__attribute__((target("avx,f16c"))) int64_t WidenVectors(const uint16_t* fp16,
                                                         int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto* from = reinterpret_cast<const __m128i*>(fp16 + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(from)));
  }
  return i;
}

__attribute__((target("avx,f16c"))) int64_t NarrowVectors(const float* values,
                                                          int64_t n,
                                                          uint16_t* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(values + i),
                                     _MM_FROUND_TO_NEAREST_INT));
  }
  return i;
}

bool HasF16c() { return (DetectCpuFeatures() & kCpuAvx2Fma) != 0; }
#endif

}  // namespace

float FromFp16(uint16_t fp16) { return Widen(fp16); }

uint16_t ToFp16(float value) {
  const uint32_t bits = BitsOf(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {  // below 2^-14: counts of 2^-24
    const float scaled = FloatOf(magnitude) * static_cast<float>(1 << 24);
    return static_cast<uint16_t>(sign |
                                 static_cast<uint32_t>(std::nearbyint(scaled)));
  }
  const uint32_t round = 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign |
                               ((magnitude + round - (112u << 23)) >> 13));
}

float FromBfloat16(uint16_t value) {
  return FloatOf(static_cast<uint32_t>(value) << 16);
}

uint16_t ToBfloat16(float value) {
  const uint32_t bits = BitsOf(value);
  if ((bits & 0x7fffffff) > 0x7f800000) {  // a NaN: keep it one
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  }
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void WidenFp16(const uint16_t* fp16, int64_t n, float* to) {
#if defined(__aarch64__)
  for (; n >= kPiece; n -= kPiece, fp16 += kPiece, to += kPiece) {
#pragma GCC unroll 4
    for (int i = 0; i < kPiece; i += 4) {
      vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(fp16 + i))));
    }
  }
#elif defined(__x86_64__)
  if (n >= kPiece && HasF16c()) {
    const int64_t done = WidenVectors(fp16, n, to);
    fp16 += done;
    to += done;
    n -= done;
  }
#endif
  for (; n >= kPiece; n -= kPiece, fp16 += kPiece, to += kPiece) {
    for (int i = 0; i < kPiece; ++i) to[i] = Widen(fp16[i]);
  }
  for (int64_t i = 0; i < n; ++i) to[i] = Widen(fp16[i]);
}

void NarrowToFp16(const float* values, int64_t n, uint16_t* to) {
#if defined(__aarch64__)
  for (; n >= kPiece; n -= kPiece, values += kPiece, to += kPiece) {
#pragma GCC unroll 4
    for (int i = 0; i < kPiece; i += 4) {
      vst1_u16(to + i,
               vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(values + i))));
    }
  }
#elif defined(__x86_64__)
  if (n >= kPiece && HasF16c()) {
    const int64_t done = NarrowVectors(values, n, to);
    values += done;
    to += done;
    n -= done;
  }
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = ToFp16(values[i]);
}

void WidenBfloat16s(const uint16_t* values, int64_t n, float* to) {
  for (; n >= kPiece; n -= kPiece, values += kPiece, to += kPiece) {
    for (int i = 0; i < kPiece; ++i) {
      to[i] = FloatOf(static_cast<uint32_t>(values[i]) << 16);
    }
  }
  for (int64_t i = 0; i < n; ++i) to[i] = FromBfloat16(values[i]);
}

float LargestFinite(const float* values, int64_t n) {
  constexpr uint32_t kInfinity = 0x7f800000;
  uint32_t largest = 0;  // magnitudes have the order of their bits
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t magnitude = BitsOf(values[i]) & 0x7fffffff;
    const uint32_t finite = magnitude < kInfinity ? magnitude : 0;
    largest = finite > largest ? finite : largest;
  }
  return FloatOf(largest);
}

bool FitsFp16(const float* values, int64_t n) {
  constexpr float kMinNormal = 0x1p-14f;
  const float largest = LargestFinite(values, n);
  return largest == 0 || (largest >= kMinNormal && largest < kFp16Infinity);
}

}  // namespace mace
