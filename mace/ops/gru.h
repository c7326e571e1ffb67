// Attributes of Gru.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GRU_H_
#define MACE_OPS_GRU_H_

#include "mace/ops/common/recurrent.h"

namespace mace {

struct GruAttrs : RecurrentAttrs {
  // Of the gates z and r.
  std::string gate_activation = "SIGMOID";
  // Of the candidate n. activation_alpha and activation_beta have the
  // parameters of the two in this order.
  std::string cell_activation = "TANH";
  // False: n = g(x W' + bias + (r h) R'). True: n = g(x W' + bias of w + r (h
  // R' + bias of r)). Here r is the reset gate and g the cell activation.
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
