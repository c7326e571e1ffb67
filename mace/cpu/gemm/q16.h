// Kernels of quantized i16 activations, with i8 weights: plain loops with the
// results of TFLite's reference kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_Q16_H_
#define MACE_CPU_GEMM_Q16_H_

#include "mace/base/cpu_rows.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {

// Each prepares a node whose input 0 is quantized i16 with the zero point 0.
//
// A bias is i64, with which sums of 64 bits are scaled by 16 bits of the
// factor; or i32, with which they have 32 bits. Without a bias they have 32
// bits, but those of a Deconv2d 64. FullyConnected scales in double precision.
// Errors: as CheckZeroPointsQ16; MACE_UNSUPPORTED for weights and biases that
// are not constant, for activations other than NOOP, RELU and RELUX, for a
// scale of the output that is too small for those of the operands, and for a
// DepthwiseConv2d with several outputs per channel and one scale for each.
Result<KernelPtr> PrepareConvQ16(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareDepthwiseQ16(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareDeconvQ16(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareFullyConnectedQ16(const Node& node,
                                           CpuContext& context);
// Errors: MACE_UNSUPPORTED if a zero point of an input or of the output is not
// 0.
Status CheckZeroPointsQ16(const Node& node);

// Prepares SUM, SUB and PROD. Errors: as CheckZeroPointsQ16; MACE_UNSUPPORTED
// for other types, and for activations other than NOOP, RELU and RELUX.
Result<KernelPtr> PrepareEltwiseQ16(const Node& node, CpuContext& context);
// Prepares NOOP, RELU, RELUX, LEAKYRELU, SIGMOID and TANH. Errors: as
// CheckZeroPointsQ16; MACE_UNSUPPORTED for other activations, and for SIGMOID
// and TANH if the scale of the output is not 2^-15.
Result<KernelPtr> PrepareActivationQ16(const Node& node, CpuContext& context);
// Errors: as CheckZeroPointsQ16; MACE_UNSUPPORTED if the scale of the output is
// not 2^-15, for use_log, and for 2^16 elements or more along the axis.
Result<KernelPtr> PrepareSoftmaxQ16(const Node& node, CpuContext& context);

// Returns `defs` and a row for quantized i16.
[[gnu::always_inline]] inline CpuKernelDefs WithQ16(
    CpuKernelDefs defs,
    Result<KernelPtr> (*prepare)(const Node& node, CpuContext& context)) {
  if constexpr (kHas8BitKernels) {
    defs.push_back(
        {DataType::kI16, prepare, -1, nullptr, /*is_quantized=*/true});
  }
  return defs;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_Q16_H_
