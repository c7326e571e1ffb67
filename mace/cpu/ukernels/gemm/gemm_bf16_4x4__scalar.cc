// The GEMM tile of bfloat16 pairs in plain C++, and its packing: the meaning of
// the others.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "mace/cpu/ukernels/gemm/gemm_half.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumns = 4;

uint32_t BitsOf(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

// To nearest even; a NaN stays one, subnormals are zeros.
uint16_t ToBf16(float x) {
  const uint32_t bits = BitsOf(x), magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  if (magnitude < 0x00800000) return static_cast<uint16_t>(bits >> 31 << 15);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float FromBf16(uint16_t x) {
  const bool subnormal = (x & 0x7f80) == 0;
  return FloatOf(static_cast<uint32_t>(subnormal ? x & 0x8000 : x) << 16);
}

float FlushToZero(float x) {
  return __builtin_fabsf(x) < 0x1p-126f ? FloatOf(BitsOf(x) & 0x80000000) : x;
}

float Fma(uint16_t a, uint16_t b, float c) {
  return FlushToZero(__builtin_fmaf(FromBf16(a), FromBf16(b), FlushToZero(c)));
}

}  // namespace

void gemm_bf16_4x4__scalar(const GemmF32Tile& t) {
  const auto* b = reinterpret_cast<const uint16_t*>(t.b);
  const size_t depth = (t.k + 1) / 2 * 2;
  for (size_t i = 0; i < t.m; ++i) {
    const auto* a = reinterpret_cast<const uint16_t*>(t.a) + i * depth;
    float* c = t.c + i * t.c_stride;
    for (size_t j = 0; j < t.n; ++j) {
      float sum = t.bias != nullptr ? t.bias[j] : 0;
      for (size_t k = 0; k < depth; k += 2) {
        const uint16_t* pair = b + (k / 2 * kColumns + j) * 2;
        sum = Fma(a[k], pair[0], Fma(a[k + 1], pair[1], sum));
      }
      if (t.addend != nullptr) sum += t.addend[i * t.addend_stride + j];
      sum = sum > t.lower || sum != sum ? sum : t.lower;
      c[j] = sum < t.upper || sum != sum ? sum : t.upper;
    }
  }
}

void gemm_bf16_pack_4__scalar(const GemmF32Rows& rows, float* to) {
  const size_t depth = rows.k * rows.segments, even = (depth + 1) / 2 * 2;
  for (size_t i = 0; i < rows.m; ++i) {
    auto* halves = reinterpret_cast<uint16_t*>(to) + i * even;
    for (size_t s = 0; s < rows.segments; ++s) {
      const float* x = rows.a + i * rows.a_stride + s * rows.segment_stride;
      for (size_t k = 0; k < rows.k; ++k) *halves++ = ToBf16(x[k]);
    }
    if (depth < even) *halves = 0;
  }
}

}  // namespace mace::cpu
