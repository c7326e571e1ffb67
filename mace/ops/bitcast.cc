// Bitcast: the bits of x as elements of another type of the same size.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x   any type
// Outputs  y   of the shape of x
// Attrs    to  f32 (default), f16, bf16, i32, i64, i16, i8, u8
// Errors   an unknown `to`, bool, or one whose elements have another size
// Source   ONNX BitCast-26, TensorFlow tf.bitcast

#include "mace/ops/bitcast.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferBitcast(Node& node) {
  MACE_ASSIGN_OR_RETURN(const BitcastAttrs attrs,
                        ReadAttrs<BitcastAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const DataType to, ParseDataType(node, "to", attrs.to));
  const TensorType& x = node.inputs[0].type;
  if (SizeOf(to) != SizeOf(x.dtype) || to == DataType::kBool) {
    return NodeError(node, "the bits of ", ToString(x), " are no elements of ",
                     attrs.to);
  }
  node.outputs = {{to, x.shape}};
  return Status();
}

}  // namespace

Op Bitcast() {
  return Op{"Bitcast", 1, 1, 1, InferBitcast, AttrsOf<BitcastAttrs>}
      .Choices("to", DataTypeChoices)
      .IsView()
      .WithOrder(AxisOrder::kAny);
}

}  // namespace mace::ops
