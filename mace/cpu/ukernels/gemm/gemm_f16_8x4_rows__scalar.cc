// The GEMM tile from fp16 to fp16 in plain C++: the definition for the other
// files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/f16.h"
#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"

namespace mace::cpu {
namespace {

using simd::F16;

constexpr size_t kRows = 8, kColumns = 4;

F16 Load(const Fp16* p) { return simd::Load(&p->bits); }

// Multiplies row i of a tile of m rows with column j. The first block of a
// column starts with the bias.
F16 Multiply(GemmF16RowsTile t, const Fp16* a, size_t m, size_t i, size_t j) {
  F16 sum = {0};
  for (size_t k = 0; k < t->k;) {
    F16 block = {0};
    const bool first = k == 0;
    if (first && t.bias() != nullptr) block = Load(t.bias() + j);
    const size_t left = t->k - k;
    const size_t end =
        left < kGemmF16Block + kGemmF16Step ? t->k : k + kGemmF16Block;
    for (; k < end; ++k) {
      const size_t at = (k / kGemmF16Step * m + i) * kGemmF16Step;
      block = simd::MulAdd(Load(a + at + k % kGemmF16Step),
                           Load(t.b() + k * kColumns + j), block);
    }
    sum = first ? block : block + sum;
  }
  return sum;
}

}  // namespace

void gemm_f16_8x4_rows__scalar(GemmF16RowsTile t) {
  const size_t steps = (t->k + kGemmF16Step - 1) / kGemmF16Step;
  const F16 lower = simd::SetFp16(t->lower), upper = simd::SetFp16(t->upper);
  for (size_t row = 0; row < t->m; row += kRows) {
    const size_t m = t->m - row < kRows ? t->m - row : kRows;
    const Fp16* a = t.a() + row * steps * kGemmF16Step;
    for (size_t i = 0; i < m; ++i) {
      const auto r = static_cast<ptrdiff_t>(row + i);
      for (size_t j = 0; j < t->n; ++j) {
        F16 y = Multiply(t, a, m, i, j);
        if (t.addend() != nullptr) {
          y = y + Load(t.addend() + r * t->addend_stride + j);
        }
        Fp16* c = t.c() + r * t->c_stride + j;
        simd::Store(&c->bits, simd::Clamp(y, lower, upper));
      }
    }
  }
}

}  // namespace mace::cpu
