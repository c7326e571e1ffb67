// SpaceToBatchNd: x is padded with zeros (or its zero point), then the
// pixels of each block go to different batches.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type, [N, d1, d2, ..., rest]
// Outputs  y  as x, [B*N, (d1 + paddings) / block1, ..., rest], B: product of
//             block_shape
// Attrs    block_shape  one per axis 1, 2, ...
//          paddings     two per block: before and after
// Errors   a padded extent that its block does not divide
// Source   TensorFlow tf.space_to_batch_nd

#include "mace/ops/space_to_batch_nd.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/block_spec.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferSpaceToBatchNd(Node& node) {
  MACE_ASSIGN_OR_RETURN(const SpaceToBatchNdAttrs attrs,
                        ReadAttrs<SpaceToBatchNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const int64_t product,
      CheckBlocks(node, attrs.block_shape, attrs.paddings, "paddings"));
  const TensorType& x = node.inputs[0].type;
  TensorType y = x;
  MACE_ASSIGN_OR_RETURN(y.shape[0],
                        CheckedMul(node, x.shape[0], product, "batch"));
  for (size_t d = 0; d < attrs.block_shape.size(); ++d) {
    // Each of the three is at most 2^58.
    const int64_t padded =
        x.shape[d + 1] + attrs.paddings[2 * d] + attrs.paddings[2 * d + 1];
    if (padded % attrs.block_shape[d] != 0) {
      return NodeError(node, "block_shape ", ListToString(attrs.block_shape),
                       " does not divide padded extent ", padded, " of axis ",
                       d + 1);
    }
    y.shape[d + 1] = padded / attrs.block_shape[d];
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op SpaceToBatchNd() {
  return Op{"SpaceToBatchNd",
            1,
            1,
            1,
            InferSpaceToBatchNd,
            AttrsOf<SpaceToBatchNdAttrs>}
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
