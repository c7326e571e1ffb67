// The activation that convolutions, elementwise and other ops apply to their
// result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_ACTIVATION_ATTRS_H_
#define MACE_OPS_COMMON_ACTIVATION_ATTRS_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// With a = activation_coefficient and b = hardsigmoid_beta:
enum class ActivationKind {
  kNoop,         // x
  kRelu,         // max(x, 0)
  kRelux,        // min(max(x, 0), max_limit)
  kTanh,         // (exp(x) - exp(-x)) / (exp(x) + exp(-x))
  kSigmoid,      // 1 / (1 + exp(-x))
  kLeakyRelu,    // x < 0 ? a x : x
  kElu,          // x < 0 ? a (exp(x) - 1) : x
  kSelu,         // 1.0507 times Elu with a = 1.67326
  kHardSigmoid,  // min(max(a x + b, 0), 1)
  kHardSwish,    // x min(max(x / 6 + 1/2, 0), 1)
  kSoftplus,     // log(1 + exp(x))
  kSoftsign,     // x / (1 + |x|)
  kGelu,         // x (1 + erf(x / sqrt 2)) / 2
  kSwish,        // x / (1 + exp(-a x)); a of 0 stands for 1
  kGeluTanh,     // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
};

// The base of an attribute struct, which calls ActivationFields in its Fields.
// A parameter that the activation does not have is read and ignored.
struct ActivationAttrs {
  // NOOP, RELU, RELUX, TANH, SIGMOID, LEAKYRELU, ELU, SELU, HARDSIGMOID,
  // HARDSWISH, SOFTPLUS, SOFTSIGN, GELU, GELU_TANH or SWISH.
  std::string activation = "NOOP";
  float max_limit = 0;  // of RELUX
  // Of LEAKYRELU, ELU; HARDSIGMOID's slope; SWISH's slope, where 0 is 1.
  float activation_coefficient = 0;
  float hardsigmoid_beta = 0.5f;  // HARDSIGMOID's offset

  template <typename V>
  void ActivationFields(V& v) {
    v("activation", activation);
    v("max_limit", max_limit);
    v("activation_coefficient", activation_coefficient);
    v("hardsigmoid_beta", hardsigmoid_beta);
  }
};

// Returns the kind that attrs.activation names; ranges of the parameters are
// not checked. Errors: MACE_INVALID_MODEL for a name that is not in the list.
Result<ActivationKind> ParseActivation(const Node& node,
                                       const ActivationAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_COMMON_ACTIVATION_ATTRS_H_
