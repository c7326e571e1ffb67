// Dequantize: y = scale * (x - zero point).
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  quantized i8, u8 or i16, per tensor
// Outputs  y  f32, of the shape of x
// Attrs    none
// Errors   x is not quantized
// Source   TFLite DEQUANTIZE, ONNX DequantizeLinear-13

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferDequantize(Node& node) {
  const TensorType& x = node.inputs[0].type;
  if (!x.is_quantized()) {
    return NodeError(node, "x is ", ToString(x), "; it must be quantized");
  }
  node.outputs = {{DataType::kF32, x.shape}};
  return Status();
}

}  // namespace

Op Dequantize() {
  return Op{"Dequantize", 1, 1, 1, InferDequantize, AttrsOf<NoAttrs>}
      .Takes({OneOf({DataType::kI8, DataType::kU8, DataType::kI16})})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
