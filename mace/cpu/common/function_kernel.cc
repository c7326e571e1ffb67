// The class of kernels that are single functions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/function_kernel.h"

#include <memory>
#include <new>

namespace mace {
namespace {

class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(AnyFunction function, KernelFacts facts)
      : function_(function), facts_(std::move(facts)) {}
  ~FunctionKernel() override { function_.destroy(function_.object); }

  std::vector<Overlap> overlaps() const override { return facts_.overlaps; }
  int64_t macs() const override { return facts_.macs; }
  std::string variant() const override { return facts_.variant; }

  Status Run(const RunArgs& args) override {
    return function_.call(function_.object, args);
  }

 private:
  const AnyFunction function_;
  const KernelFacts facts_;
};

}  // namespace

void FreeObject(void* object) { ::operator delete(object); }

KernelPtr MakeKernel(AnyFunction function) {
  return MakeKernel(function, KernelFacts());
}

KernelPtr MakeKernel(AnyFunction function, KernelFacts facts) {
  return std::make_unique<FunctionKernel>(function, std::move(facts));
}

}  // namespace mace
