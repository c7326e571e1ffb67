// Shape inference of quantized tensors: which ops take them, and how their
// outputs are quantized.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_QUANTIZED_H_
#define MACE_OPS_COMMON_QUANTIZED_H_

#include "mace/ops/common/op.h"

namespace mace {

// Errors: MACE_UNSUPPORTED if an input is quantized and the op takes no such
// tensor (OnQuantized::kRefuses); MACE_INVALID_MODEL if input 0 of an op that
// computes (kComputes) is quantized per axis. Ops that move values (kMoves)
// take all.
Status CheckQuantizedInputs(const Op& op, const Node& node);

// Gives the inferred outputs their quantization:
//
//  kRefuses   none
//  kMoves     that of the first quantized input, which the later inputs of the
//             same element type must have, too
//  kComputes  what the model file says; there must be one, per tensor, for
//             outputs of i8, u8 and i16 if input 0 is quantized, or the op is
//             Quantize
//
// Errors: MACE_INVALID_MODEL if the model file declares another one than the op
// has, or none or one per axis where there must be one per tensor, or if inputs
// whose values are moved are quantized differently.
Status QuantizeOutputs(const Op& op, Node& node);

// For ops that multiply by a filter or matrix, input 1, with an optional bias,
// input 2. `axis` is that of the filter's output channels.
//  x i8 or u8:  w of the type of x, per tensor, or per `axis` with zero points
//               0; bias i32
//  x i16, zero point 0:  w i8, per tensor or per `axis`, with zero points 0;
//                        bias i32 or i64
// If nothing is quantized, x, w and bias must have one element type. REQUIRES:
// input 0 is not quantized per axis (CheckQuantizedInputs). Errors:
// MACE_INVALID_MODEL.
Status CheckFilterTypes(const Node& node, int axis);

// For ops of two operands, a and b. Errors: MACE_INVALID_MODEL if one of them
// is quantized and the other is not, if their element types differ, or if b is
// quantized per axis. (CheckQuantizedInputs refuses such an a.)
Status CheckPair(const Node& node);

// Errors: MACE_INVALID_MODEL if input `i` is quantized per axis.
Status CheckPerTensor(const Node& node, size_t i);

}  // namespace mace

#endif  // MACE_OPS_COMMON_QUANTIZED_H_
