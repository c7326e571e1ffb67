// Translating the attributes of an activation into the two arguments of a
// kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/activation.h"

#include <limits>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

// Klambauer et al., Self-Normalizing Neural Networks (2017), section 2.
constexpr float kSeluAlpha = 1.6732632423543772f;
constexpr float kSeluScale = 1.0507009873554805f;
// 2 sqrt(2 / pi): (1 + tanh(z)) / 2 is 1 / (1 + exp(-2 z)).
constexpr float kGeluSlope = 1.5957691216057308f;

}  // namespace

Status AddActivation(const Node& node, const ActivationAttrs& attrs,
                     Pass& pass) {
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, attrs));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case ActivationKind::kNoop:
      pass.Float(-kInfinity).Float(kInfinity);
      return Status();
    case ActivationKind::kRelu:
      pass.Float(0).Float(kInfinity);
      return Status();
    case ActivationKind::kRelux:
      pass.Float(0).Float(attrs.max_limit);
      return Status();
    case ActivationKind::kSelu:
      pass.Float(kSeluScale).Float(kSeluAlpha);
      break;
    case ActivationKind::kGeluTanh:
      pass.Float(kGeluSlope).Float(kGeluSlope * 0.044715f);
      break;
    case ActivationKind::kSwish:
      pass.Float(
          attrs.activation_coefficient == 0 ? 1 : attrs.activation_coefficient);
      pass.Float(0);
      break;
    default:
      pass.Float(attrs.activation_coefficient).Float(attrs.hardsigmoid_beta);
      break;
  }
  // As the model file names it: TANH, SIGMOID, ...
  pass.Define(StrCat("ACTIVATION_", attrs.activation));
  return Status();
}

}  // namespace mace::opencl
