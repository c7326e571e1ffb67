// Clip: y = min(max(x, lo), hi), per element.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x       f32, i32, i64, i16, i8 or u8
//          lo, hi  as x, one element each; optional
// Outputs  y       as x
// Attrs    min, max  if they are not inputs; default: no limit
// Errors   limits of another type or of more than one element
// Source   ONNX Clip-13, TensorFlow tf.clip_by_value

#include "mace/ops/clip.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferClip(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<ClipAttrs>(node).status());
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    MACE_RETURN_IF_ERROR(CheckDtypeAs(node, i, 0));
    if (node.has_input(i) && NumElements(node.inputs[i].type.shape) != 1) {
      return NodeError(node, "limit ", ToString(node.inputs[i].type),
                       " must have one element");
    }
  }
  node.outputs = {node.inputs[0].type};
  return Status();
}

}  // namespace

Op Clip() {
  return Op{"Clip", 1, 3, 1, InferClip, AttrsOf<ClipAttrs>}
      .Takes({OneOf({DataType::kF32, DataType::kI32, DataType::kI64,
                     DataType::kI16, DataType::kI8, DataType::kU8}),
              AsInput(0)})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
