// Cast: the elements of x as another type.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x   any type
// Outputs  y   of the shape of x
// Attrs    to  f32 (default), f16, bf16, i32, i64, i16, i8, u8, bool
// Errors   another `to`. From float to integer: towards zero, saturating, 0
//          for NaN; from integer to a narrower one: the low bits; to bool: != 0
// Source   ONNX Cast-13, TensorFlow tf.cast

#include "mace/ops/cast.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferCast(Node& node) {
  MACE_ASSIGN_OR_RETURN(const CastAttrs attrs, ReadAttrs<CastAttrs>(node));
  TensorType y = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(y.dtype, ParseDataType(node, "to", attrs.to));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Cast() {
  return Op{"Cast", 1, 1, 1, InferCast, AttrsOf<CastAttrs>()}
      .Choices("to", DataTypeChoices())
      .WithOrder(AxisOrder::kAny);
}

}  // namespace mace::ops
