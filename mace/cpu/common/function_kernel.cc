// The class of kernels that are single functions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/function_kernel.h"

#include <memory>
#include <new>

namespace mace {
namespace {

class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(AnyFunction function, KernelProperties properties)
      : function_(function), properties_(std::move(properties)) {}
  ~FunctionKernel() override { function_.destroy(function_.object); }

  std::vector<Overlap> overlaps() const override {
    return properties_.overlaps;
  }
  int64_t macs() const override { return properties_.macs; }
  std::string variant() const override { return properties_.variant; }

  Status Run(const RunArgs& args) override {
    return function_.call(function_.object, args);
  }

 private:
  const AnyFunction function_;
  const KernelProperties properties_;
};

}  // namespace

void FreeObject(void* object) { ::operator delete(object); }

KernelPtr MakeKernel(AnyFunction function) {
  return MakeKernel(function, KernelProperties());
}

KernelPtr MakeKernel(AnyFunction function, KernelProperties properties) {
  return std::make_unique<FunctionKernel>(function, std::move(properties));
}

}  // namespace mace
