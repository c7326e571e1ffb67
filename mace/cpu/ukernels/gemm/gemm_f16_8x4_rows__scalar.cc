// The GEMM tile from fp16 to fp16 in plain C++: the meaning of the others.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/f16.h"
#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"

namespace mace::cpu {
namespace {

using simd::F16;

constexpr size_t kRows = 8, kColumns = 4;

// Row i of a tile of m rows times column j. A column's first block starts from
// the bias.
F16 Multiply(const GemmF16Tile& t, const uint16_t* a, size_t m, size_t i,
             size_t j) {
  F16 sum = {0};
  for (size_t k = 0; k < t.k;) {
    F16 block = {0};
    const bool first = k == 0;
    if (first && t.bias != nullptr) block = simd::Load(t.bias + j);
    const size_t left = t.k - k;
    const size_t end =
        left < kGemmF16Block + kGemmF16Step ? t.k : k + kGemmF16Block;
    for (; k < end; ++k) {
      const size_t at = (k / kGemmF16Step * m + i) * kGemmF16Step;
      block = simd::MulAdd(simd::Load(a + at + k % kGemmF16Step),
                           simd::Load(t.b + k * kColumns + j), block);
    }
    sum = first ? block : block + sum;
  }
  return sum;
}

}  // namespace

void gemm_f16_8x4_rows__scalar(const GemmF16Tile& t) {
  const size_t steps = (t.k + kGemmF16Step - 1) / kGemmF16Step;
  const F16 lower = simd::SetFp16(t.lower), upper = simd::SetFp16(t.upper);
  for (size_t row = 0; row < t.m; row += kRows) {
    const size_t m = t.m - row < kRows ? t.m - row : kRows;
    const uint16_t* a = t.a + row * steps * kGemmF16Step;
    for (size_t i = 0; i < m; ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(row + i) * t.c_stride;
      for (size_t j = 0; j < t.n; ++j) {
        F16 y = Multiply(t, a, m, i, j);
        if (t.addend != nullptr) y = y + simd::Load(t.addend + at + j);
        simd::Store(t.c + at + j, simd::Clamp(y, lower, upper));
      }
    }
  }
}

}  // namespace mace::cpu
