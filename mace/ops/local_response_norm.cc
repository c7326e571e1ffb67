// LocalResponseNorm: y = x / (bias + alpha * s)^beta, s the sum of the squares
// of the neighbouring channels.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  f32 [..., C]
// Outputs  y  as x
// Attrs    depth_radius  default 5: channels c - radius to c + radius
//          size          if not 0: c - (size-1)/2 to c + size/2 instead
//          bias (1), alpha (1), beta (0.5)
// Errors   a negative radius or size
// Source   Krizhevsky et al. 2012, section 3.3; tf.nn.local_response_normal-
//          ization; ONNX LRN-13, whose alpha is divided by size

#include "mace/ops/local_response_norm.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferLocalResponseNorm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LocalResponseNormAttrs attrs,
                        ReadAttrs<LocalResponseNormAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, -1, x.rank()).status());
  if (attrs.depth_radius < 0 || attrs.size < 0) {
    return NodeError(node, "depth_radius ", attrs.depth_radius, " and size ",
                     attrs.size, " must be 0 or larger");
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op LocalResponseNorm() {
  return Op{"LocalResponseNorm",
            1,
            1,
            1,
            InferLocalResponseNorm,
            AttrsOf<LocalResponseNormAttrs>}
      .ReadsMany()
      .Takes({Float32()});
}

}  // namespace mace::ops
