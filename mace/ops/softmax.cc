// Softmax: y = exp(x - max(x)) / sum(exp(x - max(x))), over one axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  float   [d0, ..., dn)
// Outputs  y  as x
// Attrs    axis     default -1, in [-rank, rank)
//          use_log  0 | 1: the logarithm of it
// Errors   axis out of range; x is a scalar
// Source   ONNX Softmax-13 and LogSoftmax-13, TensorFlow tf.nn.softmax

#include "mace/ops/softmax.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferSoftmax(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, attrs.axis, x.rank()).status());
  node.outputs = {x};
  return Status();
}

}  // namespace

Op Softmax() {
  return Op{"Softmax", 1, 1, 1, InferSoftmax, AttrsOf<SoftmaxAttrs>}
      .NamesAxes("axis")
      .WithOrder(AxisOrder::kNamed)
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace mace::ops
