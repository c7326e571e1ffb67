// Attributes of Lstm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LSTM_H_
#define MACE_OPS_LSTM_H_

#include "mace/ops/common/recurrent.h"

namespace mace {

struct LstmAttrs : RecurrentAttrs {
  // Of the gates i, o and f. activation_alpha and activation_beta have the
  // parameters of the three activations in this order.
  std::string gate_activation = "SIGMOID";
  // Of the gate g.
  std::string cell_activation = "TANH";
  // Of the cell state, for h.
  std::string output_activation = "TANH";
  bool input_forget = false;  // the forget gate is 1 - the input gate
  float cell_clip = 0;        // bound of the cell state; 0: none
  float projection_clip = 0;  // bound of the projected state; 0: none

  template <typename V>
  void Fields(V& v) {
    RecurrentFields(v);
    v("gate_activation", gate_activation);
    v("cell_activation", cell_activation);
    v("output_activation", output_activation);
    v("input_forget", input_forget);
    v("cell_clip", cell_clip);
    v("projection_clip", projection_clip);
  }
};

// Inputs of Lstm besides those of all recurrent ops, all optional. With D
// directions, B sequences, H elements of a gate and P of the state:
//
//  cells [D,B,H] (batch_major: [B,D,H]); peepholes [D,3H], of i, o and f;
//  projection [D,P,H]; its bias [D,P]; norm [D,4H], which multiplies the
//  normalized gates
enum LstmInput : size_t {
  kLstmCells = 6,
  kLstmPeepholes = 7,
  kLstmProjection = 8,
  kLstmProjectionBias = 9,
  kLstmNorm = 10,
};

// Checks all operands and returns their sizes. Errors: MACE_INVALID_MODEL for
// operands that do not fit together, a projection bias without a projection, or
// a bound that is negative or not finite.
Result<RecurrentShape> ResolveLstm(const Node& node, const LstmAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_LSTM_H_
