// The micro-kernels of activations that are no clamps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/choose.h"

namespace mace {

void Activator::Choose(const ActivationFunction& f, CpuFeatures features) {
  const cpu::ActivateF32& row = cpu::ChooseRow(cpu::kActivateF32, features);
  const cpu::ActivateF32Set& set = *row.set;
  name_ = row.name;
  const auto use = [this](cpu::ActivateF32Fn* fn, double a = 0, double b = 0) {
    fn_ = fn;
    a_ = static_cast<float>(a);
    b_ = static_cast<float>(b);
  };
  switch (f.kind) {
    case ActivationKind::kNoop:
    case ActivationKind::kRelu:
    case ActivationKind::kRelux:
      return;  // clamps
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

}  // namespace mace
