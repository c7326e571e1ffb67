// ReverseSequence: reverses the first elements of each sequence.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
//          lens  i32 or i64, one per extent of the batch axis: how many
//                elements of the sequence axis are reversed
// Outputs  y     as x
// Attrs    seq_axis (0), batch_axis (1), in [-rank, rank)
// Errors   an axis out of range, or both the same; not one length per batch. A
//          length out of range is an error when the model runs
// Source   ONNX ReverseSequence-10, TensorFlow tf.reverse_sequence

#include "mace/ops/reverse_sequence.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferReverseSequence(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ReverseSequenceAttrs attrs,
                        ReadAttrs<ReverseSequenceAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(
      const std::vector<int> axes,
      ResolveAxes(node, {attrs.seq_axis, attrs.batch_axis}, x.rank()));
  MACE_RETURN_IF_ERROR(
      CheckVector(node, 1, x.shape[axes[1]], "one length per batch"));
  node.outputs = {x};
  return Status();
}

}  // namespace

Op ReverseSequence() {
  return Op{"ReverseSequence",
            2,
            2,
            1,
            InferReverseSequence,
            AttrsOf<ReverseSequenceAttrs>}
      .NamesAxes("seq_axis")
      .NamesAxes("batch_axis")
      .Takes({AnyType(), Indices()})
      .WithOrder(AxisOrder::kNamed)
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
