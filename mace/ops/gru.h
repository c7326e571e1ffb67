// Attributes of Gru.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GRU_H_
#define MACE_OPS_GRU_H_

#include "mace/ops/common/recurrent.h"

namespace mace {

struct GruAttrs : RecurrentAttrs {
  std::string gate_activation = "SIGMOID";
  std::string cell_activation = "TANH";
  // Whether h is multiplied by the weights before it is reset, not afterwards.
  bool linear_before_reset = false;

  template <typename V>
  void Fields(V& v) {
    RecurrentFields(v);
    v("gate_activation", gate_activation);
    v("cell_activation", cell_activation);
    v("linear_before_reset", linear_before_reset);
  }
};

}  // namespace mace

#endif  // MACE_OPS_GRU_H_
