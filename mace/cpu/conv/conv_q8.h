// Convolutions and matrix products of 8-bit codes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_Q8_H_
#define MACE_CPU_CONV_CONV_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/depthwise_q8.h"
#include "mace/cpu/conv/product_q8.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Each prepares a node whose input 0 is quantized i8 or u8. Results are those
// of TFLite's reference kernels: sums of 32 bits, scaled in fixed point, or in
// double precision if CpuContext::fc_rounds_once. Errors: MACE_UNSUPPORTED for
// filters that are not constant, biases that are not, and other activations
// than NOOP, RELU and RELUX.
Result<KernelPtr> PrepareConvQ8(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareDepthwiseQ8(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareFullyConnectedQ8(const Node& node,
                                          CpuContext& context);

// The same as parts of a kernel: the product of a Conv2d, by RunRows, and a
// DepthwiseConv2d with one output for each channel. `shape` is that of the
// node.
Result<ProductQ8> MakeConvRowsQ8(const Node& node, const ConvShape& shape,
                                 CpuContext& context);
Result<DepthwiseQ8> MakeDepthwiseQ8(const Node& node, const ConvShape& shape,
                                    CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_Q8_H_
