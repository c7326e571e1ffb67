// StridedSlice: x[begin:end:strides] with TensorFlow's masks.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type
//          begin, end, strides  i32 or i64, optional; known before the model
//                               runs
// Outputs  y  as x, smaller; axes may be removed (shrink) or inserted (new)
// Attrs    begin, end, strides  if they are not inputs
//          begin_mask, end_mask, ellipsis_mask, new_axis_mask,
//          shrink_axis_mask  bit i is about entry i of the lists
// Errors   lists of different lengths; more entries than axes; two ellipses;
//          a stride of 0; a single element that is out of range
// Source   TensorFlow tf.strided_slice

#include "mace/ops/strided_slice.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/slice_spec.h"

namespace mace {
namespace {

bool Bit(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

// Selects one element of axis d, as entry i asks.
Status TakeOne(const Node& node, int d, int64_t at, SliceSpec* spec) {
  const TensorType& x = node.inputs[0].type;
  const int64_t extent = x.shape[d];
  if (at < -extent || at >= extent) {
    return NodeError(node, "element ", at, " of axis ", d,
                     " is out of range for x ", ToString(x));
  }
  spec->starts[d] = at < 0 ? at + extent : at;
  spec->counts[d] = 1;
  return Status();
}

}  // namespace

Result<SliceSpec> StridedSliceOf(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const StridedSliceAttrs attrs,
                        ReadAttrs<StridedSliceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const auto begin, IntsOf(node, 1, attrs.begin));
  MACE_ASSIGN_OR_RETURN(const auto end, IntsOf(node, 2, attrs.end));
  MACE_ASSIGN_OR_RETURN(auto strides, IntsOf(node, 3, attrs.strides));
  const size_t n = begin.size();
  if (strides.empty()) strides.assign(n, 1);
  if (end.size() != n || strides.size() != n) {
    return NodeError(node, "begin ", ListToString(begin), ", end ",
                     ListToString(end), " and strides ", ListToString(strides),
                     " must be of the same length");
  }
  const TensorType& x = node.inputs[0].type;
  int used = 0, ellipses = 0;
  for (size_t i = 0; i < n; ++i) {
    if (Bit(attrs.ellipsis_mask, i)) {
      ++ellipses;
    } else if (!Bit(attrs.new_axis_mask, i)) {
      ++used;
    }
  }
  if (ellipses > 1 || used > x.rank()) {
    return NodeError(node, "begin ", ListToString(begin), " names ", used,
                     " axes and ", ellipses, " ellipses for x ", ToString(x));
  }
  SliceSpec spec = WholeSlice(x.shape);
  spec.shape.clear();
  int d = 0;
  for (size_t i = 0; i < n; ++i) {
    if (Bit(attrs.ellipsis_mask, i)) {
      for (int k = used; k < x.rank(); ++k) spec.shape.push_back(x.shape[d++]);
      continue;
    }
    if (Bit(attrs.new_axis_mask, i)) {
      spec.shape.push_back(1);
      continue;
    }
    if (strides[i] == 0) return NodeError(node, "a stride must not be 0");
    if (Bit(attrs.shrink_axis_mask, i)) {
      MACE_RETURN_IF_ERROR(TakeOne(node, d++, begin[i], &spec));
      continue;
    }
    const bool up = strides[i] > 0;
    SetSlice(d, x.shape[d],
             Bit(attrs.begin_mask, i) ? (up ? 0 : INT64_MAX) : begin[i],
             Bit(attrs.end_mask, i) ? (up ? INT64_MAX : INT64_MIN) : end[i],
             strides[i], &spec);
    spec.shape.push_back(spec.counts[d++]);
  }
  for (; d < x.rank(); ++d) spec.shape.push_back(x.shape[d]);
  return spec;
}

namespace ops {
namespace {

void PartOfStridedSlice(const Node& node, int64_t* offset) {
  const auto spec = StridedSliceOf(node);
  if (spec.ok()) *offset = PartOffset(node.inputs[0].type, *spec);
}

Status InferStridedSlice(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, StridedSliceOf(node));
  node.outputs = {node.inputs[0].type};
  node.outputs[0].shape = spec.shape;
  return Status();
}

}  // namespace

Op StridedSlice() {
  return Op{
      "StridedSlice", 1, 4, 1, InferStridedSlice, AttrsOf<StridedSliceAttrs>}
      .Takes({AnyType(), Indices()})
      .IsPart(PartOfStridedSlice)
      .Knows(1, "begin")
      .Knows(2, "end")
      .Knows(3, "strides")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
