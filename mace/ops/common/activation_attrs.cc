// The names of activations.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/activation_attrs.h"

namespace mace {
namespace {

constexpr struct {
  const char* name;
  ActivationKind kind;
} kNames[] = {
    {"NOOP", ActivationKind::kNoop},
    {"RELU", ActivationKind::kRelu},
    {"RELUX", ActivationKind::kRelux},
    {"TANH", ActivationKind::kTanh},
    {"SIGMOID", ActivationKind::kSigmoid},
    {"LEAKYRELU", ActivationKind::kLeakyRelu},
    {"ELU", ActivationKind::kElu},
    {"SELU", ActivationKind::kSelu},
    {"HARDSIGMOID", ActivationKind::kHardSigmoid},
    {"HARDSWISH", ActivationKind::kHardSwish},
    {"SOFTPLUS", ActivationKind::kSoftplus},
    {"SOFTSIGN", ActivationKind::kSoftsign},
    {"GELU", ActivationKind::kGelu},
    {"SWISH", ActivationKind::kSwish},
};

}  // namespace

Result<ActivationKind> ParseActivation(const Node& node,
                                       const ActivationAttrs& attrs) {
  std::string names;
  for (const auto& n : kNames) {
    if (attrs.activation == n.name) return n.kind;
    names += (names.empty() ? "" : ", ") + std::string(n.name);
  }
  return InvalidModel(Label(node) + ": there is no activation '" +
                      attrs.activation + "'; there are " + names);
}

}  // namespace mace
