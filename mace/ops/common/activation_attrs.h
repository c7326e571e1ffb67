// The activation that conv-like and elementwise ops apply to their result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_ACTIVATION_ATTRS_H_
#define MACE_OPS_COMMON_ACTIVATION_ATTRS_H_

#include <string>

namespace mace {

// Base of an attribute struct; call ActivationFields from its Fields.
struct ActivationAttrs {
  // NOOP, RELU, RELUX (min(max(x, 0), max_limit)), TANH, SIGMOID,
  // LEAKYRELU (activation_coefficient * x below 0), ELU, HARDSIGMOID,
  // HARDSWISH, ...: the list is in mace/ops/activation.cc.
  std::string activation = "NOOP";
  float max_limit = 0;               // of RELUX
  float activation_coefficient = 0;  // of LEAKYRELU, ELU, HARDSIGMOID's slope
  float hardsigmoid_beta = 0.5f;     // HARDSIGMOID's offset

  template <typename V>
  void ActivationFields(V& v) {
    v("activation", activation);
    v("max_limit", max_limit);
    v("activation_coefficient", activation_coefficient);
    v("hardsigmoid_beta", hardsigmoid_beta);
  }
};

}  // namespace mace

#endif  // MACE_OPS_COMMON_ACTIVATION_ATTRS_H_
