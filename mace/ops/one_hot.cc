// OneHot: on_value where the position along a new axis is the index, else
// off_value.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   idx    i32 or i64; an index outside of [0, depth) gives off_value
//          depth  i32 or i64, one element, optional; known before the model
//                 runs
// Outputs  y      f32, idx with an axis of extent depth
// Attrs    depth  if it is not an input; axis (default -1: the last of y);
//          on_value (1), off_value (0)
// Errors   axis out of range; a negative depth
// Source   TensorFlow tf.one_hot

#include "mace/ops/one_hot.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferOneHot(Node& node) {
  MACE_ASSIGN_OR_RETURN(const OneHotAttrs attrs, ReadAttrs<OneHotAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> depth,
                        IntsOf(node, 1, {attrs.depth}));
  if (depth.size() != 1 || depth[0] < 0) {
    return NodeError(node, "depth ", ListToString(depth),
                     " must be one number, 0 or larger");
  }
  TensorType y = node.inputs[0].type;
  y.dtype = DataType::kF32;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank() + 1));
  y.shape.insert(y.shape.begin() + axis, depth[0]);
  node.outputs = {y};
  return Status();
}

}  // namespace

Op OneHot() {
  return Op{"OneHot", 1, 2, 1, InferOneHot, AttrsOf<OneHotAttrs>}
      .Takes({Indices()})
      .Knows(1, "depth");
}

}  // namespace mace::ops
