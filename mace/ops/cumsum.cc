// Cumsum: the sums (or products) of the elements up to each one, along an axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32, i32 or i64
// Outputs  y  as x
// Attrs    axis       default 0, in [-rank, rank)
//          exclusive  1: without the element itself
//          reverse    1: from the end
//          product    1: products
// Errors   axis out of range
// Source   ONNX CumSum-14 and CumProd-26, tf.math.cumsum and cumprod

#include "mace/ops/cumsum.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferCumsum(Node& node) {
  MACE_ASSIGN_OR_RETURN(const CumsumAttrs attrs, ReadAttrs<CumsumAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, attrs.axis, x.rank()).status());
  node.outputs = {x};
  return Status();
}

}  // namespace

Op Cumsum() {
  return Op{"Cumsum", 1, 1, 1, InferCumsum, AttrsOf<CumsumAttrs>}
      .NamesAxes("axis")
      .Takes({Numbers()})
      .WithOrder(AxisOrder::kNamed);
}

}  // namespace mace::ops
