// The definition of GEMM micro-kernels with 16-bit operands and f32 results.
// SPDX-License-Identifier: Apache-2.0
//
// bf16: each pair of k is added to the f32 accumulator by two fused multiply-
// adds, the odd k first, rounding to nearest; subnormals are zeros. This is
// what VDPBF16PS computes (Intel SDM volume 2; measured on Zen 4), to the bit.
// BFMMLA of armv8.6 rounds its sums of products to odd instead (Arm ARM,
// BFDotAdd), which differs by at most 2^-23 of their magnitudes. Rows are
// rounded to nearest even as they are packed.
//
// f16: products are added up in binary16, by fused multiply-adds, for at most
// kF16Block of k; these sums are added up in f32. The sum of a block is off by
// at most kF16Block * 2^-11 of the sum of the products' magnitudes, which must
// stay below 65504. A result is
//
//   bias + (block 0) + addend + (block 1) + (block 2) + ...
//
// in this order in every micro-kernel, so that all agree to the bit. The addend
// comes second because it may be c, which holds the sum between blocks.
//
// Rows are float32 and always packed (GemmPacks::kAlways), as one run each:
//
//   [ceil(depth / k_tile)][rows][k_tile]     rows: m of the tile, or mr where
//                                            whole tiles are multiplied
//   row 0, k 0..k_tile-1 | row 1, k 0..k_tile-1 | ... | row 0, the next k ...
//
//            k_tile       group of b
//   bf16   2, 4 or 32        2 or 4      a pair or four of k to an instruction
//   f16    2 or 8               1        lanes of a row, each times a row of b
//
// The files that end in __scalar.cc are the definition.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// The largest number of products that are added up in binary16 before their sum
// is widened, which keeps the error within 1/16 of the sum of magnitudes. A
// multiple of the k_tile of every f16 micro-kernel, so that a block begins with
// a step of all rows.
constexpr size_t kF16Block = 128;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_
