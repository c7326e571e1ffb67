// Logical: a AND b, a OR b, a XOR b with NumPy broadcasting, or NOT a.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a     bool
//          b     bool, of a shape that broadcasts with a's; not for NOT
// Outputs  y     bool
// Attrs    type  AND (default), OR, XOR, NOT
// Errors   unknown type; b missing, or there with NOT
// Source   ONNX And-7, Or-7, Xor-7, Not-1

#include "mace/ops/logical.h"

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferLogical(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LogicalAttrs attrs,
                        ReadAttrs<LogicalAttrs>(node));
  const bool is_not = attrs.type == "NOT";
  if (!is_not && attrs.type != "AND" && attrs.type != "OR" &&
      attrs.type != "XOR") {
    return NodeError(
        node, "type '" + attrs.type + "' must be one of AND, OR, XOR, NOT");
  }
  if (node.has_input(1) == is_not) {
    return NodeError(
        node, attrs.type + (is_not ? " takes one input" : " takes two inputs"));
  }
  MACE_RETURN_IF_ERROR(CheckDtype(node, 0, {DataType::kBool}));
  MACE_RETURN_IF_ERROR(CheckDtype(node, 1, {DataType::kBool}));
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
  return {"Logical", 1, 2, 1, InferLogical, AttrNamesOf<LogicalAttrs>};
}

}  // namespace mace::ops
