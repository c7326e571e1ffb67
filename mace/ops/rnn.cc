// Rnn: h = cell_activation(x W' + h R' + bias) over all steps of sequences.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     f32  [T,B,I]; all with batch_major: [B,T,I]
//          w     f32  [D,H,I]; D is 2 if BIDIRECTIONAL, else 1
//          r     f32  [D,H,H]
//          bias  f32  [D,2H], of x W' and of h R'; optional, as all that follow
//          sequence_lens  i32 or i64  [B]: steps of each sequence; later ones
//                         leave the state as it is, and their y is 0
//          initial_h  f32  [D,B,H]; [B,D,H]; zeros if absent
// Outputs  y    f32  [T,D,B,H]; [B,T,D,H]
//          y_h  f32  as initial_h: the last state of each sequence
// Attrs    direction; batch_major; clip bounds what activations are applied to;
//          activation_alpha and activation_beta: parameters of the activation
// Errors   operands that do not fit together; a bound that is not a number. A
//          length outside of [0, T] is an error when the model runs
// Source   ONNX RNN-14

#include "mace/ops/rnn.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferRnn(Node& node) {
  MACE_ASSIGN_OR_RETURN(const RnnAttrs attrs, ReadAttrs<RnnAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const RecurrentShape s,
                        ResolveRecurrent(node, attrs, 1));
  MACE_RETURN_IF_ERROR(CheckRecurrentState(node, s));
  MACE_RETURN_IF_ERROR(
      ResolveRecurrentActivations(node, attrs, {attrs.cell_activation})
          .status());
  SetRecurrentOutputs(node, s, attrs.batch_major, /*has_cells=*/false);
  return Status();
}

}  // namespace

Op Rnn() {
  const InputType f32 = Float32();
  return Op{"Rnn", 3, 6, 2, InferRnn, AttrsOf<RnnAttrs>}
      .Choices("direction", RecurrentDirectionChoices)
      .Choices("cell_activation", RecurrentActivationChoices)
      .ReadsMany()
      .Takes({f32, f32, f32, f32, Indices(), f32});
}

}  // namespace mace::ops
