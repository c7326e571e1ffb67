// Attributes of Lstm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LSTM_H_
#define MACE_OPS_LSTM_H_

#include "mace/ops/common/recurrent.h"

namespace mace {

struct LstmAttrs : RecurrentAttrs {
  std::string gate_activation = "SIGMOID";
  std::string cell_activation = "TANH";
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

// Inputs of Lstm besides those of all recurrent ops.
enum LstmInput : size_t {
  kLstmCells = 6,
  kLstmPeepholes = 7,
  kLstmProjection = 8,
  kLstmProjectionBias = 9,
  kLstmNorm = 10,
};

// Errors: MACE_INVALID_MODEL for operands that do not fit together.
Result<RecurrentShape> ResolveLstm(const Node& node, const LstmAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_LSTM_H_
