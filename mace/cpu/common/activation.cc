// Activations by their definitions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/activation.h"

#include <algorithm>
#include <cmath>

#include "mace/base/fp16.h"
#include "mace/cpu/common/choose.h"

namespace mace {
namespace {

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
  if (!f.is_clamp()) {
    Choose(f, features);
    return;
  }
  const cpu::ClampF32& row = cpu::ChooseRow(cpu::kClampF32, features);
  name_ = row.name;
  fn_ = *row.fn;
  a_ = f.lower();
  b_ = f.upper();
}

void Activator::Apply(const uint16_t* x, int64_t n, uint16_t* y) const {
  constexpr int64_t kPiece = 256;
  float piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    WidenFp16(x + i, count, piece);
    Apply(piece, count, piece);
    NarrowToFp16(piece, count, y + i);
  }
}

}  // namespace mace
