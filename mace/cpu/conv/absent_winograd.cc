// A library without the kernels `winograd`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/winograd/conv_winograd_q8.h"

namespace mace::cpu {

int LargestWinograd() { return 1; }

// With tiles of 1, PlanConv never chooses Winograd's algorithm.
Result<KernelPtr> PrepareConvWinograd(const Node&, const ConvShape&,
                                      const NodePlan&,
                                      const ActivationFunction&, CpuContext&) {
  return AbsentComponent("Winograd's algorithm", "winograd");
}

bool ConvWinogradQ8::IsExact(const Operand&, const ConvShape&) { return false; }

Result<KernelPtr> PrepareConvWinogradQ8(const Node&, const ConvShape&,
                                        CpuContext&) {
  return AbsentComponent("Winograd's algorithm", "winograd");
}

}  // namespace mace::cpu
