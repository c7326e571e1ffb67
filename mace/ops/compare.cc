// Compare: whether a relation holds between a and b, element by element with
// NumPy broadcasting.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a     f32, i32, i64, i16, i8, u8 or bool; or quantized i8 or u8
//          b     of a's type; its shape broadcasts with a's
// Outputs  y     bool; no relation but NOT_EQUAL holds with a NaN
// Attrs    type  EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL
// Errors   types differ; shapes do not broadcast; unknown type
// Source   ONNX Equal-13, Less-13, ...; TensorFlow tf.math.equal, less, ...

#include "mace/ops/compare.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace {
namespace {

constexpr NamedValue<CompareType> kCompareTypes[] = {
    {"EQUAL", CompareType::kEqual},
    {"NOT_EQUAL", CompareType::kNotEqual},
    {"LESS", CompareType::kLess},
    {"LESS_EQUAL", CompareType::kLessEqual},
    {"GREATER", CompareType::kGreater},
    {"GREATER_EQUAL", CompareType::kGreaterEqual},
};

}  // namespace

Result<CompareType> CompareTypeOf(const Node& node, const CompareAttrs& attrs) {
  return ValueNamed(node, kCompareTypes, "type", attrs.type);
}

namespace ops {
namespace {

Status InferCompare(Node& node) {
  MACE_ASSIGN_OR_RETURN(const CompareAttrs attrs,
                        ReadAttrs<CompareAttrs>(node));
  MACE_RETURN_IF_ERROR(CompareTypeOf(node, attrs).status());
  MACE_RETURN_IF_ERROR(CheckPair(node));
  TensorType y;
  y.dtype = DataType::kBool;
  MACE_ASSIGN_OR_RETURN(y.shape,
                        BroadcastShapes(node, node.inputs[0].type.shape,
                                        node.inputs[1].type.shape));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Compare() {
  return Op{"Compare", 2, 2, 1, InferCompare, AttrsOf<CompareAttrs>}
      .Choices("type", NamesIn(kCompareTypes))
      .Takes({OneOf({DataType::kF32, DataType::kI32, DataType::kI64,
                     DataType::kI16, DataType::kI8, DataType::kU8,
                     DataType::kBool}),
              AsInput(0)})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
