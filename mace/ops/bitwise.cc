// Bitwise: an operation on the bits of integers, with NumPy broadcasting.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a     i32 or i64
//          b     of a's type; its shape broadcasts with a's
// Outputs  y     of a's type
// Attrs    type  AND (default), OR, XOR, SHIFT_LEFT, SHIFT_RIGHT (which repeats
//                the sign). Shifting by as many bits as the type has, by more,
//                or by a negative number gives 0, or -1 for a negative number
//                shifted right
// Errors   types differ; shapes do not broadcast; unknown type
// Source   ONNX BitwiseAnd-18, BitwiseOr-18, BitwiseXor-18 and BitShift-28,
//          TensorFlow tf.bitwise

#include "mace/ops/bitwise.h"

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<BitwiseType> kBitwiseTypes[] = {
    {"AND", BitwiseType::kAnd},
    {"OR", BitwiseType::kOr},
    {"XOR", BitwiseType::kXor},
    {"SHIFT_LEFT", BitwiseType::kShiftLeft},
    {"SHIFT_RIGHT", BitwiseType::kShiftRight},
};

}  // namespace

Result<BitwiseType> BitwiseTypeOf(const Node& node, const BitwiseAttrs& attrs) {
  return ValueNamed(node, kBitwiseTypes, "type", attrs.type);
}

namespace ops {
namespace {

Status InferBitwise(Node& node) {
  MACE_ASSIGN_OR_RETURN(const BitwiseAttrs attrs,
                        ReadAttrs<BitwiseAttrs>(node));
  MACE_RETURN_IF_ERROR(BitwiseTypeOf(node, attrs).status());
  const TensorType& a = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(
      Shape y, BroadcastShapes(node, a.shape, node.inputs[1].type.shape));
  node.outputs = {{a.dtype, std::move(y)}};
  return Status();
}

}  // namespace

Op Bitwise() {
  return Op{"Bitwise", 2, 2, 1, InferBitwise, AttrsOf<BitwiseAttrs>}
      .Choices("type", NamesIn(kBitwiseTypes))
      .Takes({Indices(), AsInput(0)})
      .WithOrder(AxisOrder::kAny);
}

}  // namespace ops
}  // namespace mace
