// Slice: selects every step-th element of a range, along some axes.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type
//          starts, ends, axes, steps  i32 or i64, optional; known before the
//                                     model runs
// Outputs  y  as x, smaller
// Attrs    starts, ends, axes, steps  if they are not inputs; negative
//          bounds count from the end, and all are clamped; axes []: the first
//          ones; steps []: all 1
// Errors   lists of different lengths; an axis out of range; a step of 0
// Source   ONNX Slice-13, NumPy slicing

#include "mace/ops/slice.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/slice_spec.h"

namespace mace {

Result<SliceSpec> SliceOf(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const SliceAttrs attrs, ReadAttrs<SliceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const auto starts, IntsOf(node, 1, attrs.starts));
  MACE_ASSIGN_OR_RETURN(const auto ends, IntsOf(node, 2, attrs.ends));
  MACE_ASSIGN_OR_RETURN(auto axes, IntsOf(node, 3, attrs.axes));
  MACE_ASSIGN_OR_RETURN(auto steps, IntsOf(node, 4, attrs.steps));
  const size_t n = starts.size();
  if (axes.empty()) {
    for (size_t i = 0; i < n; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (steps.empty()) steps.assign(n, 1);
  if (ends.size() != n || axes.size() != n || steps.size() != n) {
    return NodeError(node, "starts ", ListToString(starts), ", ends ",
                     ListToString(ends), ", axes ", ListToString(axes),
                     " and steps ", ListToString(steps),
                     " must be of the same length");
  }
  const Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims,
                        ResolveAxes(node, axes, static_cast<int>(x.size())));
  SliceSpec spec = WholeSlice(x);
  for (size_t i = 0; i < n; ++i) {
    if (steps[i] == 0) return NodeError(node, "a step must not be 0");
    SetSlice(dims[i], x[dims[i]], starts[i], ends[i], steps[i], &spec);
  }
  spec.shape = spec.counts;
  return spec;
}

namespace ops {
namespace {

void PartOfSlice(const Node& node, int64_t* offset) {
  const auto spec = SliceOf(node);
  if (spec.ok()) *offset = PartOffset(node.inputs[0].type, *spec);
}

Status InferSlice(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, SliceOf(node));
  node.outputs = {node.inputs[0].type};
  node.outputs[0].shape = spec.shape;
  return Status();
}

}  // namespace

Op Slice() {
  return Op{"Slice", 1, 5, 1, InferSlice, AttrsOf<SliceAttrs>}
      .NamesAxes("axes")
      .Takes({AnyType(), Indices()})
      .IsPart(PartOfSlice)
      .Knows(1, "starts")
      .Knows(2, "ends")
      .Knows(3, "axes")
      .Knows(4, "steps")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
