// GEMM micro-kernels whose operands and results are binary16s: rows of
// c = clamp(a * b + bias + addend).
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a are packed by tiles of mr, the last of which may have fewer: of a
// tile of m rows, kGemmF16Step elements of each row in turn, zeros behind the
// last:
//
//   [ceil(k / 8)][m][8]
//
// b is packed: for each k, nr fp16, those from n on being anything finite.
// Products are added up by fused multiply-adds in binary16, kGemmF16Block of k
// at a time, the last time with what is left of a step; these sums, bias and
// addend are added up in binary16, too. A result is off by at most
// (kGemmF16Block + k / kGemmF16Block + 10) * 2^-11 of the sum of the
// magnitudes, which must stay below 65504.
// Files are named gemm_f16_{MR}x{NR}_rows__{isa}.cc.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

constexpr size_t kGemmF16Step = 8;
constexpr size_t kGemmF16Block = 256;  // a multiple of the step

struct GemmF16Tile {
  size_t m;           // rows of c, any number
  size_t n;           // columns of c, in [1, nr]
  size_t k;           // > 0
  const uint16_t* a;  // packed
  const uint16_t* b;  // packed
  uint16_t* c;
  ptrdiff_t c_stride;    // fp16 between rows of c, and of the addend
  const uint16_t* bias;  // nr fp16; null: zeros
  // m x n fp16, which may be c; null: zeros.
  const uint16_t* addend;
  float lower, upper;  // bounds of the result
};

// Writes m x n fp16.
using GemmF16Fn = void(const GemmF16Tile& tile);

GemmF16Fn gemm_f16_8x16_rows__fp16;
GemmF16Fn gemm_f16_8x4_rows__scalar;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F16_ROWS_H_
