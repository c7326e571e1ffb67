// ArgMax: where x is largest (or smallest) along an axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32, i32 or i64; or quantized i8 or u8
// Outputs  y  i64 or i32, without the axis or with 1 in its place
// Attrs    axis (default 0), keepdims (default 1), argmin, select_last,
//          output_type i64 (default) | i32
// Errors   axis out of range or of extent 0
// Source   ONNX ArgMax-13, TensorFlow tf.math.argmax

#include "mace/ops/arg_max.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferArgMax(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ArgMaxAttrs attrs, ReadAttrs<ArgMaxAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  if (x.shape[axis] == 0) {
    return NodeError(node, "axis ", axis, " of x ", ToString(x),
                     " has no elements");
  }
  TensorType y;
  MACE_ASSIGN_OR_RETURN(y.dtype,
                        ParseDataType(node, "output_type", attrs.output_type));
  y.shape = DropAxes(x.shape, {axis}, attrs.keepdims);
  node.outputs = {y};
  return Status();
}

}  // namespace

Op ArgMax() {
  return Op{"ArgMax", 1, 1, 1, InferArgMax, AttrsOf<ArgMaxAttrs>}
      .NamesAxes("axis")
      .Choices("output_type", Texts{"i64 i32"})
      .Takes({Numbers()})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
