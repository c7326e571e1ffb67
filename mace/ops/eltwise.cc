// Eltwise: y = act(a op b), element by element with NumPy broadcasting.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a  number
//          b  of a's type; its shape broadcasts with a's
// Outputs  y  of a's type
// Attrs    type: SUM, SUB, PROD, DIV, MIN, MAX, POW, SQR_DIFF ((a - b)^2),
//          FLOOR_DIV (floor(a / b)), MOD (a - floor(a / b) b), FMOD (a -
//          trunc(a / b) b). Integers wrap around; DIV rounds to zero, and
//          division by zero gives 0, as do negative powers of anything but 1
//          and -1
//          activation, ...: see common/activation_attrs.h; not of integers
//              without a scale
// Errors   types differ; shapes do not broadcast; unknown type
// Source   ONNX Add-14, Div-14, Mod-13, Pow-15, ...; TensorFlow
//          tf.math.floordiv, floormod, truncatemod, squared_difference

#include "mace/ops/eltwise.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace {
namespace {

constexpr NamedValue<EltwiseType> kEltwiseTypes[] = {
    {"SUM", EltwiseType::kSum},
    {"SUB", EltwiseType::kSub},
    {"PROD", EltwiseType::kProd},
    {"DIV", EltwiseType::kDiv},
    {"MIN", EltwiseType::kMin},
    {"MAX", EltwiseType::kMax},
    {"POW", EltwiseType::kPow},
    {"SQR_DIFF", EltwiseType::kSqrDiff},
    {"FLOOR_DIV", EltwiseType::kFloorDiv},
    {"MOD", EltwiseType::kMod},
    {"FMOD", EltwiseType::kFmod},
};

bool IsFloat(DataType type) {
  return type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBF16;
}

}  // namespace

Result<EltwiseType> ParseEltwiseType(const Node& node,
                                     const EltwiseAttrs& attrs) {
  return ValueNamed(node, kEltwiseTypes, "type", attrs.type);
}

namespace ops {
namespace {

Status InferEltwise(Node& node) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_RETURN_IF_ERROR(ParseEltwiseType(node, attrs).status());
  MACE_ASSIGN_OR_RETURN(const ActivationKind act, ParseActivation(node, attrs));
  const TensorType& a = node.inputs[0].type;
  const TensorType& b = node.inputs[1].type;
  MACE_RETURN_IF_ERROR(CheckPair(node));
  if (act != ActivationKind::kNoop && !IsFloat(a.dtype) && !a.is_quantized()) {
    return InvalidModel(Label(node), ": activation ", attrs.activation,
                        " needs floats, a is ", ToString(a));
  }
  MACE_ASSIGN_OR_RETURN(Shape y, BroadcastShapes(node, a.shape, b.shape));
  node.outputs = {{a.dtype, std::move(y)}};
  return Status();
}

}  // namespace

Op Eltwise() {
  return Op{"Eltwise", 2, 2, 1, InferEltwise, AttrsOf<EltwiseAttrs>}
      .Choices("type", NamesIn(kEltwiseTypes))
      .Choices("activation", ActivationChoices)
      .Takes({AnyType(), AsInput(0)})
      .WithOrder(AxisOrder::kAny)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
