// The GEMM tile of fp16 in plain C++, and its packing: the definition for the
// other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/f16.h"
#include "mace/cpu/ukernels/gemm/gemm_16bit.h"
#include "mace/cpu/ukernels/gemm/gemm_pack_steps.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4;

Fp16 ToF16(float x) {
  Fp16 fp16;
  simd::Store(&fp16.bits, simd::SetFp16(x));
  return fp16;
}

// Returns the sum of `count` products, rounded after each one.
float Block(const Fp16* a, size_t rows, const Fp16* b, size_t count) {
  simd::F16 block = {0};
  for (size_t k = 0; k < count; ++k) {
    const Fp16 x = a[k / 2 * rows * 2 + k % 2];
    block = simd::MulAdd(simd::Load(&x.bits), simd::Load(&b[k * kColumns].bits),
                         block);
  }
  return block.value;
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
