// Lstm: a long short-term memory over all steps of sequences.
// SPDX-License-Identifier: Apache-2.0
//
// For each step, with gates i, o, f and g in this order in all weights:
//   i, f  = gate_activation(x W' + h R' + bias + peephole c)
//   g     = cell_activation(x W' + h R' + bias)
//   c     = f c + i g
//   o     = gate_activation(x W' + h R' + bias + peephole c)
//   h     = o output_activation(c), or its product with the projection
//
// Inputs   x     f32  [T,B,I]; all with batch_major: [B,T,I]
//          w     f32  [D,4H,I]; D is 2 if BIDIRECTIONAL, else 1
//          r     f32  [D,4H,P]; P is H without a projection
//          bias  f32  [D,8H], of x W' and of h R'; optional, as all that follow
//          sequence_lens  i32 or i64  [B]: steps of each sequence; later ones
//                         leave the state as it is, and their y is 0
//          initial_h  f32  [D,B,P]; [B,D,P]; zeros if absent
//          initial_c  f32  [D,B,H]; [B,D,H]; zeros if absent
//          peepholes  f32  [D,3H], of i, o and f
//          projection       f32  [D,P,H]
//          projection_bias  f32  [D,P]
//          normalization    f32  [D,4H]: x W' + h R' + peephole c of each gate
//                           is normalized (epsilon 1e-8) and multiplied by this
//                           before the bias is added
// Outputs  y    f32  [T,D,B,P]; [B,T,D,P]
//          y_h  f32  as initial_h: the last state of each sequence
//          y_c  f32  as initial_c
// Attrs    direction; batch_major; clip bounds what gate_activation and
//          cell_activation are applied to (not c, as in ONNX Runtime);
//          input_forget: f is 1 - i; cell_clip bounds c, projection_clip the
//          projected h; activation_alpha and activation_beta: parameters of the
//          three activations
// Errors   operands that do not fit together; a bound that is not a number; a
//          projection_bias without projection. A length outside of [0, T] is an
//          error when the model runs
// Source   ONNX LSTM-14, TFLite UNIDIRECTIONAL_SEQUENCE_LSTM

#include "mace/ops/lstm.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<RecurrentShape> ResolveLstm(const Node& node, const LstmAttrs& attrs) {
  MACE_ASSIGN_OR_RETURN(const RecurrentShape s,
                        ResolveRecurrent(node, attrs, 4));
  const bool projects = node.has_input(kLstmProjection);
  if (!projects) MACE_RETURN_IF_ERROR(CheckRecurrentState(node, s));
  if (!projects && node.has_input(kLstmProjectionBias)) {
    return NodeError(node, "input 9 (projection bias) needs a projection");
  }
  MACE_RETURN_IF_ERROR(CheckRecurrentBound(node, "cell_clip", attrs.cell_clip));
  MACE_RETURN_IF_ERROR(
      CheckRecurrentBound(node, "projection_clip", attrs.projection_clip));
  const int64_t d = s.directions, h = s.hidden;
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(
      node, kLstmCells, RecurrentStateShape(s, attrs.batch_major, h),
      attrs.batch_major ? "[batch, directions, hidden]"
                        : "[directions, batch, hidden]"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(node, kLstmPeepholes, {d, 3 * h},
                                           "[directions, 3 * hidden]"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(
      node, kLstmProjection, {d, s.outputs, h}, "[directions, state, hidden]"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(
      node, kLstmProjectionBias, {d, s.outputs}, "[directions, state]"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(node, kLstmNorm, {d, 4 * h},
                                           "[directions, 4 * hidden]"));
  return s;
}

namespace ops {
namespace {

Status InferLstm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const LstmAttrs attrs, ReadAttrs<LstmAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const RecurrentShape s, ResolveLstm(node, attrs));
  MACE_RETURN_IF_ERROR(
      ResolveRecurrentActivations(node, attrs,
                                  {attrs.gate_activation, attrs.cell_activation,
                                   attrs.output_activation})
          .status());
  SetRecurrentOutputs(node, s, attrs.batch_major, /*has_cells=*/true);
  return Status();
}

}  // namespace

Op Lstm() {
  const InputType f32 = Float32();
  return Op{"Lstm", 3, 11, 3, InferLstm, AttrsOf<LstmAttrs>}
      .Choices("direction", RecurrentDirectionChoices)
      .Choices("gate_activation", RecurrentActivationChoices)
      .Choices("cell_activation", RecurrentActivationChoices)
      .Choices("output_activation", RecurrentActivationChoices)
      .ReadsMany()
      .Takes({f32, f32, f32, f32, Indices(), f32});
}

}  // namespace ops
}  // namespace mace
