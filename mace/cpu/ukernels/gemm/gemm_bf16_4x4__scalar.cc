// The GEMM tile of bfloat16 pairs in plain C++, and its packing: the definition
// for the other files.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "mace/cpu/ukernels/gemm/gemm_pack_steps.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4;

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

Bf16 Bits(uint32_t bits) { return {static_cast<uint16_t>(bits)}; }

// Rounds to the nearest, ties to even. NaN stays NaN, and subnormals become 0.
Bf16 ToBf16(float x) {
  const uint32_t bits = BitsOf(x), magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return Bits(bits >> 16 | 0x40);
  if (magnitude < 0x00800000) return Bits(bits >> 31 << 15);
  return Bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float FromBf16(Bf16 value) {
  const uint32_t x = value.bits;
  const bool subnormal = (x & 0x7f80) == 0;
  return FloatOf((subnormal ? x & 0x8000 : x) << 16);
}

float FlushToZero(float x) {
  return __builtin_fabsf(x) < 0x1p-126f ? FloatOf(BitsOf(x) & 0x80000000) : x;
}

float Fma(Bf16 a, Bf16 b, float c) {
  return FlushToZero(__builtin_fmaf(FromBf16(a), FromBf16(b), FlushToZero(c)));
}

// a holds pairs of k, each pair for all rows.
void MultiplyTile(GemmBf16Tile t) {
  for (size_t i = 0; i < t->m; ++i) {
    float* c = t.c() + i * t->c_stride;
    for (size_t j = 0; j < t->n; ++j) {
      const Bf16* a = t.a() + i * 2;
      const Bf16* b = t.b() + j * 2;
      float sum = t.bias() != nullptr ? t.bias()[j] : 0;
      for (size_t k = 0; k < t->k; k += 2, a += t->m * 2, b += kColumns * 2) {
        sum = Fma(a[0], b[0], Fma(a[1], b[1], sum));
      }
      if (t.addend() != nullptr) sum += t.addend()[i * t->addend_stride + j];
      sum = sum > t->lower || sum != sum ? sum : t->lower;
      c[j] = sum < t->upper || sum != sum ? sum : t->upper;
    }
  }
}

}  // namespace

void gemm_bf16_4x4__scalar(GemmBf16Tile tile) {
  ForEachTile<kRows, 2>(tile, MultiplyTile);
}

Bf16* gemm_bf16_pack_4__scalar(GemmUnpackedOf<float> rows, Bf16* to) {
  return PackSteps<2, Bf16>(rows, to, ToBf16);
}

}  // namespace mace::cpu
