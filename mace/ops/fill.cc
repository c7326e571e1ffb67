// Fill: a tensor of one value.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   shape  i32 or i64 [rank]; known before the model runs
// Outputs  y      of that shape
// Attrs    value  default 0
//          dtype  f32 (default), f16, bf16, i32, i64, i16, i8, u8, bool
// Errors   a negative extent; an unknown dtype
// Source   ONNX ConstantOfShape-9, TensorFlow tf.fill

#include "mace/ops/fill.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferFill(Node& node) {
  MACE_ASSIGN_OR_RETURN(const FillAttrs attrs, ReadAttrs<FillAttrs>(node));
  TensorType y;
  MACE_ASSIGN_OR_RETURN(y.dtype, ParseDataType(node, "dtype", attrs.dtype));
  MACE_ASSIGN_OR_RETURN(y.shape, KnownInts(node, 0));
  if (const auto n = CheckedNumElements(y.shape); !n.ok()) {
    return NodeError(node, n.status().information());
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Fill() {
  return Op{"Fill", 1, 1, 1, InferFill, AttrsOf<FillAttrs>}
      .Choices("dtype", DataTypeChoices)
      .Takes({Indices()})
      .Knows(0, "shape");
}

}  // namespace mace::ops
