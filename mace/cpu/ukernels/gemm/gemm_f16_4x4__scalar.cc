// The GEMM tile of fp16 in plain C++, and its packing: the definition for the
// other files.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "mace/cpu/ukernels/gemm/gemm_16bit.h"
#include "mace/cpu/ukernels/gemm/gemm_pack_steps.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4;

float FloatOf(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

float FromF16(Fp16 value) {
  const uint32_t x = value.bits;
  const float sign = x & 0x8000 ? -1.f : 1.f;
  const uint32_t magnitude = x & 0x7fff;
  if (magnitude >= 0x7c00) {
    return FloatOf(0x7f800000 | (magnitude - 0x7c00) << 13) * sign;
  }
  return FloatOf(magnitude << 13) * 0x1p112f * sign;
}

// Rounds to the nearest fp16 value, ties to even.
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

Fp16 Bits(uint32_t bits) { return {static_cast<uint16_t>(bits)}; }

Fp16 ToF16(float x) {
  const double rounded = RoundToF16(x);
  const uint32_t sign = __builtin_signbit(x) ? 0x8000 : 0;
  if (rounded != rounded) return Bits(sign | 0x7e00);
  const float scaled = static_cast<float>(__builtin_fabs(rounded)) * 0x1p-112f;
  uint32_t bits;
  __builtin_memcpy(&bits, &scaled, sizeof(bits));
  if (__builtin_isinf(rounded)) return Bits(sign | 0x7c00);
  return Bits(sign | bits >> 13);
}

// Returns the sum of `count` products, rounded after each one.
float Block(const Fp16* a, size_t rows, const Fp16* b, size_t count) {
  double block = 0;
  for (size_t k = 0; k < count; ++k) {
    const Fp16 x = a[k / 2 * rows * 2 + k % 2];
    block = RoundToF16(double{FromF16(x)} * FromF16(b[k * kColumns]) + block);
  }
  return static_cast<float>(block);
}

// a holds pairs of k, each pair for all rows.
void MultiplyTile(GemmF16Tile t) {
  for (size_t i = 0; i < t->m; ++i) {
    float* c = t.c() + i * t->c_stride;
    for (size_t j = 0; j < t->n; ++j) {
      float sum = t.bias() != nullptr ? t.bias()[j] : 0;
      for (size_t k = 0; k < t->k; k += kF16Block) {
        const size_t count = t->k - k < kF16Block ? t->k - k : kF16Block;
        sum += Block(t.a() + k * t->m + i * 2, t->m, t.b() + k * kColumns + j,
                     count);
        if (k > 0 || t.addend() == nullptr) continue;
        sum += t.addend()[i * t->addend_stride + j];
      }
      sum = sum > t->lower || sum != sum ? sum : t->lower;
      c[j] = sum < t->upper || sum != sum ? sum : t->upper;
    }
  }
}

}  // namespace

void gemm_f16_4x4__scalar(GemmF16Tile tile) {
  ForEachTile<kRows, 2>(tile, MultiplyTile);
}

Fp16* gemm_f16_pack_4__scalar(GemmUnpackedOf<float> rows, Fp16* to) {
  return PackSteps<2, Fp16>(rows, to, ToF16);
}

}  // namespace mace::cpu
