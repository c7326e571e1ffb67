// FunctionKernel: a kernel without scratch that is a single function.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_FUNCTION_KERNEL_H_
#define MACE_CPU_COMMON_FUNCTION_KERNEL_H_

#include <memory>
#include <string>
#include <utility>

#include "mace/device/kernel.h"

namespace mace {

struct KernelFacts {
  std::string variant = "scalar";
  int64_t macs = 0;
  std::vector<Overlap> overlaps;
};

template <typename F>
class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(F f, KernelFacts facts)
      : f_(std::move(f)), facts_(std::move(facts)) {}

  std::vector<Overlap> overlaps() const override { return facts_.overlaps; }
  int64_t macs() const override { return facts_.macs; }
  std::string variant() const override { return facts_.variant; }
  Status Run(const RunArgs& args) override {
    f_(args);
    return Status();
  }

 private:
  F f_;
  KernelFacts facts_;
};

// `f` has the signature void(const RunArgs&).
template <typename F>
KernelPtr MakeKernel(F f, KernelFacts facts = {}) {
  return std::make_unique<FunctionKernel<F>>(std::move(f), std::move(facts));
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_FUNCTION_KERNEL_H_
