// Split: divides x along one axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      any type
//          sizes  i32 or i64, optional; known before the model runs
// Outputs  y...   as x, but for the extent of the axis
// Attrs    axis   default 0, in [-rank, rank)
//          sizes  one extent per output if they are not an input, one of them
//                 may be -1 (the rest); []: equal parts
// Errors   sizes that do not add up; an extent that does not divide
// Source   ONNX Split-13, TensorFlow tf.split

#include "mace/ops/split.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/slice_spec.h"

namespace mace::ops {
namespace {

Status InferSplit(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SplitAttrs attrs, ReadAttrs<SplitAttrs>(node));
  MACE_ASSIGN_OR_RETURN(std::vector<int64_t> sizes,
                        IntsOf(node, 1, attrs.sizes));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const int64_t extent = x.shape[axis];
  const int64_t n = static_cast<int64_t>(node.outputs.size());
  const std::string what = StrCat("sizes ", ListToString(sizes));
  const std::string of = StrCat(" axis ", axis, " of x ", ToString(x));
  if (sizes.empty()) {
    if (extent % n != 0) {
      return NodeError(node, n, " equal parts do not make", of);
    }
    sizes.assign(n, extent / n);
  }
  if (static_cast<int64_t>(sizes.size()) != n) {
    return NodeError(node, what, " must be one for each of ", n, " outputs");
  }
  int64_t left = extent;
  int64_t* hole = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && hole == nullptr) {
      hole = &size;
    } else if (size < 0 || size > left) {
      return NodeError(node, what, " do not make", of);
    } else {
      left -= size;
    }
  }
  if (hole != nullptr) *hole = left;
  if (hole == nullptr && left != 0) {
    return NodeError(node, what, " do not make", of);
  }
  const TensorType type = x;
  for (int64_t i = 0; i < n; ++i) {
    node.outputs[i] = type;
    node.outputs[i].shape[axis] = sizes[i];
  }
  return Status();
}

void PartsOfSplit(const Node& node, int64_t* offsets) {
  const auto attrs = ReadAttrs<SplitAttrs>(node);
  const TensorType& x = node.inputs[0].type;
  if (!attrs.ok()) return;
  const auto axis = ResolveAxis(node, attrs->axis, x.rank());
  if (!axis.ok()) return;
  SliceSpec part = WholeSlice(x.shape);
  for (const TensorType& y : node.outputs) {
    part.counts = y.shape;
    *offsets++ = PartOffset(x, part);
    part.starts[*axis] += y.shape[*axis];
  }
}

}  // namespace

Op Split() {
  return Op{"Split", 1, 2, kMany, InferSplit, AttrsOf<SplitAttrs>}
      .NamesAxes("axis")
      .Takes({AnyType(), Indices()})
      .IsPart(PartsOfSplit)
      .WithOrder(AxisOrder::kNamed)
      .Knows(1, "sizes")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
