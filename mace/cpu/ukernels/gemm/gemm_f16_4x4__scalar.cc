// The GEMM tile of binary16 in plain C++, and its packing: the meaning of the
// others.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "mace/cpu/ukernels/gemm/gemm_half.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumns = 4;

float FloatOf(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

float FromF16(uint16_t x) {
  const float sign = x & 0x8000 ? -1.f : 1.f;
  const uint32_t magnitude = x & 0x7fff;
  if (magnitude >= 0x7c00) {
    return FloatOf(0x7f800000 | (magnitude - 0x7c00) << 13) * sign;
  }
  return FloatOf(magnitude << 13) * 0x1p112f * sign;
}

// To the nearest binary16, ties to even.
double RoundToF16(double x) {
  const double magnitude = __builtin_fabs(x);
  if (magnitude >= 65520) return x < 0 ? -__builtin_inf() : __builtin_inf();
  if (!(magnitude > 0)) return x;
  int exponent = 0;
  __builtin_frexp(magnitude, &exponent);
  if (exponent < -13) exponent = -13;  // subnormal below 2^-14
  const double ulp = __builtin_ldexp(1, exponent - 11);
  return __builtin_rint(x / ulp) * ulp;
}

uint16_t ToF16(float x) {
  const double rounded = RoundToF16(x);
  const uint16_t sign = __builtin_signbit(x) ? 0x8000 : 0;
  if (rounded != rounded) return sign | 0x7e00;
  const float scaled = static_cast<float>(__builtin_fabs(rounded)) * 0x1p-112f;
  uint32_t bits;
  __builtin_memcpy(&bits, &scaled, sizeof(bits));
  if (__builtin_isinf(rounded)) return sign | 0x7c00;
  return static_cast<uint16_t>(sign | bits >> 13);
}

}  // namespace

void gemm_f16_4x4__scalar(const GemmF32Tile& t) {
  const auto* b = reinterpret_cast<const uint16_t*>(t.b);
  const size_t even = (t.k + 1) / 2 * 2;
  for (size_t i = 0; i < t.m; ++i) {
    const uint16_t* a = reinterpret_cast<const uint16_t*>(t.a) + i * even;
    float* c = t.c + i * t.c_stride;
    for (size_t j = 0; j < t.n; ++j) {
      float sum = t.bias != nullptr ? t.bias[j] : 0;
      for (size_t k = 0; k < t.k;) {
        const bool first = k == 0;
        const size_t end = t.k - k < kF16Block ? t.k : k + kF16Block;
        double block = 0;
        for (; k < end; ++k) {
          block = RoundToF16(
              double{FromF16(a[k])} * FromF16(b[k * kColumns + j]) + block);
        }
        sum += static_cast<float>(block);
        if (!first || t.addend == nullptr) continue;
        sum += t.addend[i * t.addend_stride + j];
      }
      sum = sum > t.lower || sum != sum ? sum : t.lower;
      c[j] = sum < t.upper || sum != sum ? sum : t.upper;
    }
  }
}

void gemm_f16_pack_4__scalar(const GemmF32Rows& rows, float* to) {
  const size_t depth = rows.k * rows.segments, even = (depth + 1) / 2 * 2;
  for (size_t i = 0; i < rows.m; ++i) {
    auto* halves = reinterpret_cast<uint16_t*>(to) + i * even;
    for (size_t s = 0; s < rows.segments; ++s) {
      const float* x = rows.a + i * rows.a_stride + s * rows.segment_stride;
      for (size_t k = 0; k < rows.k; ++k) *halves++ = ToF16(x[k]);
    }
    if (depth < even) *halves = 0;
  }
}

}  // namespace mace::cpu
