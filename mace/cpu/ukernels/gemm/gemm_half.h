// GEMM micro-kernels whose operands are fp16: products of bfloat16s or
// binary16s, c and bias in f32.
// SPDX-License-Identifier: Apache-2.0
//
// Tiles are those of gemm_f32.h with a_packed set: a and b are fp16, k is
// the whole depth, segments is 1. Element (k, j) of packed b, for a group g of
// GemmOperands, is half ((k / g) * nr + j) * g + k % g; the last group is
// filled with zeros.
//
// bf16: each pair of k adds two fused multiply-adds to the f32 accumulator,
// the odd k first, rounding to nearest; subnormals are zeros. This is what
// VDPBF16PS computes (Intel SDM volume 2; measured on Zen 4), to the bit.
// BFMMLA of armv8.6 rounds its sums of products to odd instead (Arm ARM,
// BFDotAdd), which differs by at most 2^-23 of their magnitudes.
//
// f16: products are added up in binary16, by fused multiply-adds, for at most
// kF16Block of k; these sums are added up in f32. The sum of a block is off by
// at most kF16Block * 2^-11 of the sum of the products' magnitudes, which must
// stay below 65504.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_HALF_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_HALF_H_

#include "mace/cpu/ukernels/gemm/gemm_f32.h"

namespace mace::cpu {

// A multiple of every k_tile.
constexpr size_t kF16Block = 128;

GemmF32Fn gemm_f16_4x4__scalar;
GemmF32PackFn gemm_f16_pack_4__scalar;
GemmF32Fn gemm_f16_8x16__fp16;
GemmF32PackFn gemm_f16_pack_8__fp16;

GemmF32Fn gemm_bf16_4x4__scalar;
GemmF32PackFn gemm_bf16_pack_4__scalar;
GemmF32Fn gemm_bf16_14x32__avx512bf16;
// Rows of f32, rounded to nearest even.
GemmF32PackFn gemm_bf16_pack_14__avx512bf16;
GemmF32Fn gemm_bf16_8x8__bf16;
GemmF32PackFn gemm_bf16_pack_8__bf16;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_HALF_H_
