// Cast: the elements of x as another type.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x   any type
// Outputs  y   of the shape of x
// Attrs    to  f32 (default), f16, bf16, i32, i64, i16, i8, u8, bool
// Errors   an unknown `to`. Float to integer rounds towards zero and
//          saturates, NaN becomes 0; integer to a narrower one keeps the low
//          bits; bool is x != 0
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
  return Op{"Cast", 1, 1, 1, InferCast, AttrsOf<CastAttrs>}
      .Choices("to", DataTypeChoices)
      .WithOrder(AxisOrder::kAny);
}

}  // namespace mace::ops
