// ScatterNd: replaces the slices of data that index tuples select, or combines
// them with updates.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   data     any type; f32, i32 or i64 with a reduction
//          idx      i32 or i64, [..., n]: n indices into the leading axes of
//                   data; a negative one counts from the end
//          updates  as data, [idx without its last axis..., data after n...]
// Outputs  y        as data
// Attrs    reduction  NONE: of equal indices the last wins; SUM, PROD, MIN or
//                     MAX of data and updates, in the order of the updates
// Errors   more indices than axes; updates of another shape. An index out of
//          range is an error when the model runs
// Source   ONNX ScatterND-16, TensorFlow tf.tensor_scatter_nd_update

#include "mace/ops/scatter_nd.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/scatter.h"

namespace mace::ops {
namespace {

Status InferScatterNd(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ScatterNdAttrs attrs,
                        ReadAttrs<ScatterNdAttrs>(node));
  MACE_RETURN_IF_ERROR(ScatterKindOf(node, attrs.reduction).status());
  const TensorType& data = node.inputs[0].type;
  const TensorType& idx = node.inputs[1].type;
  const TensorType& updates = node.inputs[2].type;
  if (idx.rank() == 0 || idx.shape.back() > data.rank()) {
    return NodeError(node, "idx ", ToString(idx),
                     " does not index the axes of data ", ToString(data));
  }
  TensorType want = data;
  want.shape.assign(idx.shape.begin(), idx.shape.end() - 1);
  want.shape.insert(want.shape.end(), data.shape.begin() + idx.shape.back(),
                    data.shape.end());
  if (!(updates == want)) {
    return NodeError(node, "updates are ", ToString(updates), ", they must be ",
                     ToString(want));
  }
  node.outputs = {data};
  return Status();
}

}  // namespace

Op ScatterNd() {
  return WithReduction(
      Op{"ScatterNd", 3, 3, 1, InferScatterNd, AttrsOf<ScatterNdAttrs>});
}

}  // namespace mace::ops
