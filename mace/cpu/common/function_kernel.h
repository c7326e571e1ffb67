// FunctionKernel: a kernel without scratch that is a single function.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_FUNCTION_KERNEL_H_
#define MACE_CPU_COMMON_FUNCTION_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/device/kernel.h"

namespace mace {

struct KernelFacts {
  std::string variant = "scalar";
  int64_t macs = 0;
  std::vector<Overlap> overlaps;
};

// What all FunctionKernels share, which is compiled once.
class KernelWithFacts : public Kernel {
 public:
  explicit KernelWithFacts(KernelFacts facts);
  ~KernelWithFacts() override;

  std::vector<Overlap> overlaps() const override;
  int64_t macs() const override;
  std::string variant() const override;

 private:
  const KernelFacts facts_;
};

template <typename F>
class FunctionKernel final : public KernelWithFacts {
 public:
  FunctionKernel(F f, KernelFacts facts)
      : KernelWithFacts(std::move(facts)), f_(std::move(f)) {}

  Status Run(const RunArgs& args) override {
    f_(args);
    return Status();
  }

 private:
  F f_;
};

// `f` has the signature void(const RunArgs&).
template <typename F>
KernelPtr MakeKernel(F f, KernelFacts facts = {}) {
  return std::make_unique<FunctionKernel<F>>(std::move(f), std::move(facts));
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_FUNCTION_KERNEL_H_
