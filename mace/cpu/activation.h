// The activation that a CPU kernel applies to its result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_ACTIVATION_H_
#define MACE_CPU_ACTIVATION_H_

#include "mace/ops/common/activation_attrs.h"

namespace mace {

// ActivationAttrs, checked.
struct ActivationFunction {
  ActivationKind kind = ActivationKind::kNoop;
  float limit = 0;        // RELUX
  float coefficient = 0;  // LEAKYRELU, ELU, HARDSIGMOID
  float beta = 0;         // HARDSIGMOID

  // NOOP, RELU or RELUX: min(max(x, lower()), upper()).
  bool is_clamp() const;
  float lower() const;  // of a clamp, else -infinity
  float upper() const;  // of a clamp, else infinity
};

// Errors: as ParseActivation.
Result<ActivationFunction> ResolveActivation(const Node& node,
                                             const ActivationAttrs& attrs);

// The definition, in double precision for the reference kernels.
double ReferenceActivation(const ActivationFunction& activation, double x);

}  // namespace mace

#endif  // MACE_CPU_ACTIVATION_H_
