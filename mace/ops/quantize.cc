// Quantize: the quantized values nearest to x.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x   f32, or quantized i8, u8 or i16
// Outputs  y   of the shape of x, quantized as the model file says, per tensor
// Attrs    to          i8 (default), u8, i16
//          rounding    AWAY (default): halves are rounded away from zero. EVEN:
//                      to the even number, and requantization computes in
//                      float32
//          arithmetic  how AWAY requantizes: FIXED point (default), or FLOAT
// Errors   an unknown value of an attribute; y has no scale. Values saturate;
//          NaN becomes the smallest value
// Source   TFLite QUANTIZE (FIXED) and CONCATENATION (FLOAT), ONNX
//          QuantizeLinear-13 (EVEN)

#include "mace/ops/quantize.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferQuantize(Node& node) {
  MACE_ASSIGN_OR_RETURN(const QuantizeAttrs attrs,
                        ReadAttrs<QuantizeAttrs>(node));
  TensorType y;
  y.shape = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(y.dtype, ParseDataType(node, "to", attrs.to));
  const bool from_quantized = node.inputs[0].type.dtype != DataType::kF32;
  if (from_quantized && !node.inputs[0].type.is_quantized()) {
    return NodeError(node, "x is ", ToString(node.inputs[0].type),
                     "; it must be f32 or quantized");
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Quantize() {
  return Op{"Quantize", 1, 1, 1, InferQuantize, AttrsOf<QuantizeAttrs>}
      .Choices("to", Texts{"i16 i8 u8"})
      .Choices("arithmetic", Texts{"FIXED FLOAT"})
      .Choices("rounding", Texts{"AWAY EVEN"})
      .Takes({OneOf(
          {DataType::kF32, DataType::kI8, DataType::kU8, DataType::kI16})})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
