// A library without the kernels `strassen`.
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "mace/base/components.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/gemm/strassen.h"

namespace mace::cpu {

// As it never fits, PlanConv does not choose Strassen's method.
bool StrassenGemm::Fits(const ConvGemm::Spec&, const CacheSizes&) {
  return false;
}

StrassenGemm::StrassenGemm(const ConvGemm::Spec& spec,
                           const CpuContext& context)
    : spec_(spec),
      finish_(spec.activation, spec.sum_activation, context.features) {}

std::string StrassenGemm::variant() const { return ""; }

void StrassenGemm::RunPairs(const Operands&, const Rows&, const Rows&,
                            void*) const {}

void StrassenGemm::SetMaxPairs(int64_t) {}

Result<std::shared_ptr<const void>> PackStrassen(const Operand&,
                                                 const ConvShape&,
                                                 const GemmUkernel&,
                                                 CpuContext&) {
  return AbsentComponent("Strassen's method", "strassen");
}

Result<KernelPtr> PrepareConvStrassen(const Node&, const ConvNode&,
                                      const NodePlan&, bool,
                                      const ActivationFunction&, CpuContext&) {
  return AbsentComponent("Strassen's method", "strassen");
}

}  // namespace mace::cpu
