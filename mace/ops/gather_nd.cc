// GatherNd: selects slices of x by index tuples.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x    any type
//          idx  i32 or i64, [batch..., ..., n]: n indices into the axes of x
//               after the batch; a negative one counts from the end
// Outputs  y    as x, [idx without its last axis..., x after the n axes...]
// Attrs    batch_dims  how many leading axes x and idx share
//          from_start  1: a negative index is out of range, as in TensorFlow;
//                      default 0
// Errors   more indices than axes; batches that differ. An index out of range
//          is an error when the model runs
// Source   ONNX GatherND-13, TensorFlow tf.gather_nd

#include "mace/ops/gather_nd.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferGatherNd(Node& node) {
  MACE_ASSIGN_OR_RETURN(const GatherNdAttrs attrs,
                        ReadAttrs<GatherNdAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  const int64_t batch = attrs.batch_dims;
  bool fits = batch >= 0 && idx.rank() > batch && x.rank() >= batch;
  for (int d = 0; fits && d < batch; ++d) fits = x.shape[d] == idx.shape[d];
  if (!fits || idx.shape.back() > x.rank() - batch) {
    return NodeError(node, "idx ", ToString(idx),
                     " does not index the axes of x ", ToString(x),
                     " after batch_dims ", batch);
  }
  TensorType y = x;
  y.shape.assign(idx.shape.begin(), idx.shape.end() - 1);
  y.shape.insert(y.shape.end(), x.shape.begin() + batch + idx.shape.back(),
                 x.shape.end());
  node.outputs = {y};
  return Status();
}

}  // namespace

Op GatherNd() {
  return Op{"GatherNd", 2, 2, 1, InferGatherNd, AttrsOf<GatherNdAttrs>}
      .Takes({AnyType(), Indices()})
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
