// Logical: a AND b, a OR b, a XOR b with NumPy broadcasting, or NOT a.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a     bool
//          b     bool, of a shape that broadcasts with a's; not for NOT
// Outputs  y     bool
// Attrs    type  AND (default), OR, XOR, NOT
// Errors   unknown type; b is missing, or present with NOT
// Source   ONNX And-7, Or-7, Xor-7, Not-1

#include "mace/ops/logical.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferLogical(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LogicalAttrs attrs,
                        ReadAttrs<LogicalAttrs>(node));
  const bool is_not = attrs.type == "NOT";
  if (node.has_input(1) == is_not) {
    return NodeError(node, attrs.type,
                     is_not ? " takes one input" : " takes two inputs");
  }
  TensorType y = node.inputs[0].type;
  if (!is_not) {
    MACE_ASSIGN_OR_RETURN(
        y.shape, BroadcastShapes(node, y.shape, node.inputs[1].type.shape));
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Logical() {
  return Op{"Logical", 1, 2, 1, InferLogical, AttrsOf<LogicalAttrs>}
      .Choices("type", Texts{"AND OR XOR NOT"})
      .Takes({OneOf({DataType::kBool})})
      .WithOrder(AxisOrder::kAny);
}

}  // namespace mace::ops
