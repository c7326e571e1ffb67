// The names of activations.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/activation_attrs.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/attr_info.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<ActivationKind> kNames[] = {
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
    {"GELU_TANH", ActivationKind::kGeluTanh},
    {"SWISH", ActivationKind::kSwish},
};

}  // namespace

std::vector<Choice> ActivationChoices() { return ChoicesOf(NamesIn(kNames)); }

Result<ActivationKind> ParseActivation(const Node& node,
                                       const ActivationAttrs& attrs) {
  return ValueNamed(node, kNames, "activation", attrs.activation);
}

}  // namespace mace
