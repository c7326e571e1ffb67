// Attributes of Rnn.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RNN_H_
#define MACE_OPS_RNN_H_

#include "mace/ops/common/recurrent.h"

namespace mace {

struct RnnAttrs : RecurrentAttrs {
  // h = cell_activation(x W' + h R' + bias) for each step. An activation of
  // recurrent.h.
  std::string cell_activation = "TANH";

  template <typename V>
  void Fields(V& v) {
    RecurrentFields(v);
    v("cell_activation", cell_activation);
  }
};

}  // namespace mace

#endif  // MACE_OPS_RNN_H_
