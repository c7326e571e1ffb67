// Eltwise by QuantizedAdd_8p8to8, QuantizedSub_8p8to8, QuantizedMinimum_8,
// QuantizedMaximum_8, and QuantizedMul_8x8to32 with Requantize_32to8.
// SPDX-License-Identifier: Apache-2.0
//
// Source: docs/ops.txt of nnlib; the order of a product's two operations is
// that of TensorFlow Lite's delegate.

#include "mace/ops/eltwise.h"

#include "mace/graph/attrs.h"
#include "mace/hexagon/nnlib/translate.h"

namespace mace::hexagon::nnlib {
namespace {

Result<Op> OpOf(const Node& node, const EltwiseAttrs& attrs) {
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  switch (type) {
    case EltwiseType::kSum:
      return kOpAdd;
    case EltwiseType::kSub:
      return kOpSub;
    case EltwiseType::kProd:
      return kOpMul;
    case EltwiseType::kMin:
      return kOpMinimum;
    case EltwiseType::kMax:
      return kOpMaximum;
    default:
      return Unsupported(Label(node), ": MACE uses the vendor's library for ",
                         "SUM, SUB, PROD, MIN and MAX, not ", attrs.type);
  }
}

QuantTensor Product(const std::vector<NnInput>& operands,
                    const std::vector<NnInput>& range, const Shape4& shape,
                    GraphBuilder* graph) {
  const uint32_t id = graph->Add(
      kOpMul, operands, {OutputOf(shape, 4), OutputOf({}, 4), OutputOf({}, 4)});
  return graph->AddQuantized(
      kOpRequantize32, {{id, 0}, {id, 1}, {id, 2}, range[0], range[1]}, shape);
}

}  // namespace

Status TranslateEltwise(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Op op, OpOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind, LimitOf(node, attrs));
  if (!node.has_input(1)) {
    return Unsupported(Label(node), ": the vendor's library takes two tensors");
  }
  const TensorType& y = node.outputs[0];
  const Shape &a_shape = node.inputs[0].type.shape,
              &b_shape = node.inputs[1].type.shape;
  // Its documents allow other shapes for the others only.
  if (op == kOpMul && NumElements(a_shape) != NumElements(b_shape)) {
    return Unsupported(Label(node), ": the vendor's library multiplies ",
                       "tensors of one shape");
  }
  MACE_ASSIGN_OR_RETURN(const Shape4 shape, ToShape4(node, y.shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor &a = target->inputs[0], &b = target->inputs[1];
  const std::vector<NnInput> range = RangeConsts(y, graph);
  std::vector<NnInput> inputs = {a.data, b.data, a.min, a.max, b.min, b.max};
  QuantTensor result;
  if (op == kOpMul) {
    result = Product(inputs, range, shape, graph);
  } else {
    inputs.insert(inputs.end(), range.begin(), range.end());
    result = graph->AddQuantized(op, inputs, shape);
  }
  target->output = Limited(kind, attrs, y, result, graph);
  return Status();
}

}  // namespace mace::hexagon::nnlib
