// Reduce: the sum, mean, largest, ... of x over some axes.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     f32, i32 or i64; bool with ALL and ANY
//          axes  i32 or i64, optional; known before the model runs
// Outputs  y     as x, without the axes or with 1 in their place; NaN where one
//                of the elements is NaN
// Attrs    reduce_type  MEAN (default), MIN, MAX, PROD, SUM, L1, L2, LOG_SUM,
//                       LOG_SUM_EXP, SUM_SQUARE, ALL, ANY
//          axis         if it is not an input; []: all
//          keepdims     0 (default) | 1
// Errors   axis out of range or named twice; a type the kind does not take
// Source   ONNX Reduce*-13, tf.reduce_*

#include "mace/ops/reduce.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<ReduceKind> kKinds[] = {
    {"MEAN", ReduceKind::kMean},
    {"MIN", ReduceKind::kMin},
    {"MAX", ReduceKind::kMax},
    {"PROD", ReduceKind::kProd},
    {"SUM", ReduceKind::kSum},
    {"L1", ReduceKind::kL1},
    {"L2", ReduceKind::kL2},
    {"LOG_SUM", ReduceKind::kLogSum},
    {"LOG_SUM_EXP", ReduceKind::kLogSumExp},
    {"SUM_SQUARE", ReduceKind::kSumSquare},
    {"ALL", ReduceKind::kAll},
    {"ANY", ReduceKind::kAny},
};

}  // namespace

Result<ReduceKind> ReduceKindOf(const Node& node, const ReduceAttrs& attrs) {
  return ValueNamed(node, kKinds, "reduce_type", attrs.reduce_type);
}

Result<std::vector<int>> ReduceAxesOf(const Node& node,
                                      const ReduceAttrs& attrs) {
  const int rank = node.inputs[0].type.rank();
  MACE_ASSIGN_OR_RETURN(std::vector<int64_t> axes, IntsOf(node, 1, attrs.axis));
  if (axes.empty()) {
    for (int d = 0; d < rank; ++d) axes.push_back(d);
  }
  return ResolveAxes(node, axes, rank);
}

namespace ops {
namespace {

Status InferReduce(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_RETURN_IF_ERROR(ReduceKindOf(node, attrs).status());
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  TensorType y = node.inputs[0].type;
  y.shape = DropAxes(y.shape, axes, attrs.keepdims);
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Reduce() {
  return Op{"Reduce", 1, 2, 1, InferReduce, AttrsOf<ReduceAttrs>}
      .Choices("reduce_type", NamesIn(kKinds))
      .NamesAxes("axis")
      .Takes({Numbers(), Indices()})
      .TakesWith("reduce_type", Texts{"ALL ANY"}, OneOf({DataType::kBool}))
      .Knows(1, "axes")
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
