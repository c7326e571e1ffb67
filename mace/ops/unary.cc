// Unary: y = f(x), per element, for a named function f.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     f32; i32 and i64 too for ABS, NEG, SQUARE and SIGN
// Outputs  y     as x; bool for IS_NAN and IS_INF
// Attrs    type  ABS NEG EXP LOG SQRT RSQRT SQUARE RECIPROCAL FLOOR CEIL
//                ROUND (half to even) SIGN SIN COS TAN ASIN ACOS ATAN SINH
//                COSH ASINH ACOSH ATANH ERF IS_NAN IS_INF ERFC
// Errors   an unknown type; an element type that f does not take
// Source   the ONNX operators of these names, tf.math

#include "mace/ops/unary.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr const char* kNames[] = {
    "ABS",        "NEG",   "EXP",  "LOG",    "SQRT",   "RSQRT", "SQUARE",
    "RECIPROCAL", "FLOOR", "CEIL", "ROUND",  "SIGN",   "SIN",   "COS",
    "TAN",        "ASIN",  "ACOS", "ATAN",   "SINH",   "COSH",  "ASINH",
    "ACOSH",      "ATANH", "ERF",  "IS_NAN", "IS_INF", "ERFC",
};

}  // namespace

Result<UnaryKind> UnaryKindOf(const Node& node, const UnaryAttrs& attrs) {
  int i = 0;
  for (const char* name : kNames) {
    if (attrs.type == name) return static_cast<UnaryKind>(i);
    ++i;
  }
  return NodeError(node, "there is no type '", attrs.type, "'");
}

namespace ops {
namespace {

Status InferUnary(Node& node) {
  MACE_ASSIGN_OR_RETURN(const UnaryAttrs attrs, ReadAttrs<UnaryAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const UnaryKind kind, UnaryKindOf(node, attrs));
  TensorType y = node.inputs[0].type;
  if (kind == UnaryKind::kIsNan || kind == UnaryKind::kIsInf) {
    y.dtype = DataType::kBool;
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Unary() {
  return Op{"Unary", 1, 1, 1, InferUnary, AttrsOf<UnaryAttrs>}
      .Choices("type", NamesIn(kNames))
      .Takes({Float32()})
      .TakesWith("type", Texts{"ABS NEG SQUARE SIGN"}, Numbers())
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
