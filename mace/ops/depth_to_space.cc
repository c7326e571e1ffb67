// DepthToSpace: channels become blocks of pixels.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x           any type, [N,H,W,b*b*C]
// Outputs  y           as x, [N,H*b,W*b,C]
// Attrs    block_size  b, 1 or larger
//          mode        DCR (default): channels of x are [b,b,C]; CRD: [C,b,b]
// Errors   a block_size whose square does not divide the channels
// Source   ONNX DepthToSpace-13, TensorFlow tf.nn.depth_to_space

#include "mace/ops/depth_to_space.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferDepthToSpace(Node& node) {
  MACE_ASSIGN_OR_RETURN(const DepthToSpaceAttrs attrs,
                        ReadAttrs<DepthToSpaceAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,H,W,C]"));
  TensorType y = node.inputs[0].type;
  const int64_t b = attrs.block_size;
  // b * b cannot overflow if b divides the channels.
  if (b < 1 || y.shape[3] % b != 0 || y.shape[3] / b % b != 0) {
    return NodeError(node, "block_size ", b,
                     " squared must divide the channels of x ", ToString(y));
  }
  MACE_ASSIGN_OR_RETURN(y.shape[1], CheckedMul(node, y.shape[1], b, "height"));
  MACE_ASSIGN_OR_RETURN(y.shape[2], CheckedMul(node, y.shape[2], b, "width"));
  y.shape[3] = y.shape[3] / b / b;
  node.outputs = {y};
  return Status();
}

}  // namespace

Op DepthToSpace() {
  return Op{
      "DepthToSpace", 1, 1, 1, InferDepthToSpace, AttrsOf<DepthToSpaceAttrs>}
      .Choices("mode", Texts{"DCR CRD"})
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
