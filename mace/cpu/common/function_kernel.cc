// What kernels that are single functions say of themselves.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/function_kernel.h"

namespace mace {

KernelWithFacts::KernelWithFacts(KernelFacts facts)
    : facts_(std::move(facts)) {}

KernelWithFacts::~KernelWithFacts() = default;

std::vector<Overlap> KernelWithFacts::overlaps() const {
  return facts_.overlaps;
}

int64_t KernelWithFacts::macs() const { return facts_.macs; }

std::string KernelWithFacts::variant() const { return facts_.variant; }

}  // namespace mace
