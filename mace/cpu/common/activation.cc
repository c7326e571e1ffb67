// Activations by their definitions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/activation.h"

#include <algorithm>
#include <cmath>

#include "mace/base/fp16.h"
#include "mace/cpu/common/choose.h"

namespace mace {
namespace {

// Klambauer et al., Self-Normalizing Neural Networks (2017), section 2.
constexpr double kSeluAlpha = 1.6732632423543772;
constexpr double kSeluScale = 1.0507009873554805;
// Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2. With
// these x (1 + tanh(...)) / 2 is x / (1 + exp(-x (kGeluSlope + kGeluBend
// x^2))).
constexpr double kGeluSlope = 1.5957691216057308;  // 2 sqrt(2 / pi)
constexpr double kGeluBend = kGeluSlope * 0.044715;

// NaN stays NaN, as in every framework.
double Clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

}  // namespace

bool ActivationFunction::is_clamp() const {
  return kind == ActivationKind::kNoop || kind == ActivationKind::kRelu ||
         kind == ActivationKind::kRelux;
}

float ActivationFunction::lower() const {
  const bool relu =
      kind == ActivationKind::kRelu || kind == ActivationKind::kRelux;
  return relu ? 0.f : -INFINITY;
}

float ActivationFunction::upper() const {
  return kind == ActivationKind::kRelux ? limit : INFINITY;
}

Result<ActivationFunction> ResolveActivation(const Node& node,
                                             const ActivationAttrs& attrs) {
  ActivationFunction a;
  MACE_ASSIGN_OR_RETURN(a.kind, ParseActivation(node, attrs));
  a.limit = attrs.max_limit;
  a.coefficient = attrs.activation_coefficient;
  a.beta = attrs.hardsigmoid_beta;
  if (a.kind == ActivationKind::kSwish && a.coefficient == 0) a.coefficient = 1;
  return a;
}

double ReferenceActivation(const ActivationFunction& a, double x) {
  switch (a.kind) {
    case ActivationKind::kNoop:
      return x;
    case ActivationKind::kRelu:
      return Clamp(x, 0, INFINITY);
    case ActivationKind::kRelux:
      return Clamp(x, 0, a.limit);
    case ActivationKind::kTanh:
      return std::tanh(x);
    case ActivationKind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationKind::kLeakyRelu:
      return x < 0 ? a.coefficient * x : x;
    case ActivationKind::kElu:
      return x < 0 ? a.coefficient * std::expm1(x) : x;
    case ActivationKind::kSelu:
      return kSeluScale * (x < 0 ? kSeluAlpha * std::expm1(x) : x);
    case ActivationKind::kHardSigmoid:
      return Clamp(a.coefficient * x + a.beta, 0, 1);
    case ActivationKind::kHardSwish:
      return x * Clamp(x / 6 + 0.5, 0, 1);
    case ActivationKind::kSoftplus:
      return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
    case ActivationKind::kSoftsign:
      return x / (1 + std::fabs(x));
    case ActivationKind::kGelu:
      return x * 0.5 * (1 + std::erf(x * std::sqrt(0.5)));
    case ActivationKind::kGeluTanh:
      return x * 0.5 *
             (1 + std::tanh(0.5 * x * (kGeluSlope + kGeluBend * x * x)));
    case ActivationKind::kSwish:
      return x / (1 + std::exp(-a.coefficient * x));
  }
  return x;
}

Activator::Activator(const ActivationFunction& f, CpuFeatures features) {
  const cpu::ActivateF32& row = cpu::ChooseRow(cpu::kActivateF32, features);
  name_ = row.name;
  Choose(f, *row.set);
}

void Activator::Choose(const ActivationFunction& f,
                       const cpu::ActivateF32Set& set) {
  const auto use = [this](cpu::ActivateF32Fn* fn, double a = 0, double b = 0) {
    fn_ = fn;
    a_ = static_cast<float>(a);
    b_ = static_cast<float>(b);
  };
  if (f.is_clamp()) return use(set.clamp, f.lower(), f.upper());
  switch (f.kind) {
    case ActivationKind::kNoop:
    case ActivationKind::kRelu:
    case ActivationKind::kRelux:
      return;  // see above
    case ActivationKind::kTanh:
      return use(set.tanh);
    case ActivationKind::kSigmoid:
      return use(set.sigmoid);
    case ActivationKind::kLeakyRelu:
      return use(set.leaky_relu, f.coefficient);
    case ActivationKind::kElu:
      return use(set.elu, f.coefficient, 1);
    case ActivationKind::kSelu:
      return use(set.elu, kSeluAlpha, kSeluScale);
    case ActivationKind::kHardSigmoid:
      return use(set.hard_sigmoid, f.coefficient, f.beta);
    case ActivationKind::kHardSwish:
      return use(set.hard_swish, 1. / 6, 0.5);
    case ActivationKind::kSoftplus:
      return use(set.softplus);
    case ActivationKind::kSoftsign:
      return use(set.softsign);
    case ActivationKind::kGelu:
      return use(set.gelu);
    case ActivationKind::kGeluTanh:
      return use(set.gelu_tanh, kGeluSlope, kGeluBend);
    case ActivationKind::kSwish:
      return use(set.swish, f.coefficient);
  }
}

void Activator::Apply(const float* x, int64_t n, float* y) const {
  if (fn_ != nullptr) fn_({static_cast<size_t>(n), x, y, a_, b_});
}

void Activator::Apply(const uint16_t* x, int64_t n, uint16_t* y) const {
  constexpr int64_t kPiece = 256;
  float piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    CastFp16(x + i, count, piece);
    Apply(piece, count, piece);
    NarrowToFp16(piece, count, y + i);
  }
}

}  // namespace mace
