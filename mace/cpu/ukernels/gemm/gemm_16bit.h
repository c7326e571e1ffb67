// The definition of GEMM micro-kernels with 16-bit operands and f32 results.
// SPDX-License-Identifier: Apache-2.0
//
// bf16: each pair of k adds two fused multiply-adds to the f32 accumulator,
// the odd k first, rounding to nearest; subnormals are zeros. This is what
// VDPBF16PS computes (Intel SDM volume 2; measured on Zen 4), to the bit.
// BFMMLA of armv8.6 rounds its sums of products to odd instead (Arm ARM,
// BFDotAdd), which differs by at most 2^-23 of their magnitudes. Rows are
// rounded to nearest even as they are packed.
//
// f16: products are added up in binary16, by fused multiply-adds, for at most
// kF16Block of k; these sums are added up in f32. The sum of a block is off by
// at most kF16Block * 2^-11 of the sum of the products' magnitudes, which must
// stay below 65504.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// A multiple of k_tile of every micro-kernel.
constexpr size_t kF16Block = 128;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_16BIT_H_
