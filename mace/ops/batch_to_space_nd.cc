// BatchToSpaceNd: batches become blocks of pixels, the inverse of
// SpaceToBatchNd.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type, [B*N, d1, d2, ..., rest], B: product of block_shape
// Outputs  y  as x, [N, d1*block1 - crops, d2*block2 - crops, ..., rest]
// Attrs    block_shape  one per axis 1, 2, ...
//          crops        two per block: before and after
// Errors   a batch that B does not divide; crops larger than their axis
// Source   TensorFlow tf.batch_to_space

#include "mace/ops/batch_to_space_nd.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/block_spec.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferBatchToSpaceNd(Node& node) {
  MACE_ASSIGN_OR_RETURN(const BatchToSpaceNdAttrs attrs,
                        ReadAttrs<BatchToSpaceNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const int64_t product,
      CheckBlocks(node, attrs.block_shape, attrs.crops, "crops"));
  const TensorType& x = node.inputs[0].type;
  TensorType y = x;
  if (x.shape[0] % product != 0) {
    return NodeError(node, "blocks of ", product,
                     " do not divide the batch of x ", ToString(x));
  }
  y.shape[0] /= product;
  for (size_t d = 0; d < attrs.block_shape.size(); ++d) {
    MACE_ASSIGN_OR_RETURN(
        const int64_t extent,
        CheckedMul(node, x.shape[d + 1], attrs.block_shape[d], "extent"));
    y.shape[d + 1] = extent - attrs.crops[2 * d] - attrs.crops[2 * d + 1];
    if (y.shape[d + 1] < 0) {
      return NodeError(node, "crops ", ListToString(attrs.crops),
                       " are larger than extent ", extent, " of axis ", d + 1);
    }
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op BatchToSpaceNd() {
  return Op{"BatchToSpaceNd",
            1,
            1,
            1,
            InferBatchToSpaceNd,
            AttrsOf<BatchToSpaceNdAttrs>}
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
