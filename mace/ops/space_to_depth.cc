// SpaceToDepth: blocks of pixels become channels.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x           any type, [N,H*b,W*b,C]
// Outputs  y           as x, [N,H,W,b*b*C], channels ordered [b,b,C]
// Attrs    block_size  b, 1 or larger
// Errors   a block_size that does not divide height and width
// Source   ONNX SpaceToDepth-13, TensorFlow tf.nn.space_to_depth

#include "mace/ops/space_to_depth.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferSpaceToDepth(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SpaceToDepthAttrs attrs,
                        ReadAttrs<SpaceToDepthAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,H,W,C]"));
  TensorType y = node.inputs[0].type;
  const int64_t b = attrs.block_size;
  if (b < 1 || y.shape[1] % b != 0 || y.shape[2] % b != 0) {
    return NodeError(node, "block_size ", b,
                     " must divide height and width of x ", ToString(y));
  }
  y.shape[1] /= b;
  y.shape[2] /= b;
  MACE_ASSIGN_OR_RETURN(y.shape[3],
                        CheckedMul(node, y.shape[3], b, "channels"));
  MACE_ASSIGN_OR_RETURN(y.shape[3],
                        CheckedMul(node, y.shape[3], b, "channels"));
  node.outputs = {y};
  return Status();
}

}  // namespace

Op SpaceToDepth() {
  return Op{
      "SpaceToDepth", 1, 1, 1, InferSpaceToDepth, AttrsOf<SpaceToDepthAttrs>}
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
