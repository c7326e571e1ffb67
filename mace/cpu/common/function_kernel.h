// MakeKernel: a kernel without scratch that is a single function.
// SPDX-License-Identifier: Apache-2.0
//
// return MakeKernel([x_dims](const RunArgs& args) { ... });
// Most kernels of ops that only move or map elements are made in this way. What
// the function needs is captured by value.
#ifndef MACE_CPU_COMMON_FUNCTION_KERNEL_H_
#define MACE_CPU_COMMON_FUNCTION_KERNEL_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mace/device/kernel.h"

namespace mace {

// What the kernel tells about itself; see Kernel.
struct KernelProperties {
  std::string variant = "scalar";
  int64_t macs = 0;
  std::vector<Overlap> overlaps;
};

// A function object, and how to call and destroy it, without its type: one
// class of kernels serves all functions, which saves a vtable for each. The
// kernel owns `object` and calls `destroy` once.
struct AnyFunction {
  void* object = nullptr;  // by `operator new`
  // Its result is that of Kernel::Run.
  Status (*call)(void* object, const RunArgs& args) = nullptr;
  void (*destroy)(void* object) = nullptr;
};

// Frees the memory of an object whose destructor is trivial; one function for
// all such types.
void FreeObject(void* object);

[[gnu::cold]] KernelPtr MakeKernel(AnyFunction function);
[[gnu::cold]] KernelPtr MakeKernel(AnyFunction function,
                                   KernelProperties properties);

// Moves `f` to the heap. AnyFunction::call then always returns MACE_OK: kernels
// whose Run can fail have classes of their own.
template <typename F>
AnyFunction MakeAnyFunction(F f) {
  static_assert(alignof(F) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  AnyFunction any;
  any.object = new F(std::move(f));
  any.call = [](void* object, const RunArgs& args) {
    (*static_cast<F*>(object))(args);
    return Status();
  };
  if constexpr (std::is_trivially_destructible_v<F>) {
    any.destroy = FreeObject;
  } else {
    any.destroy = [](void* object) { delete static_cast<F*>(object); };
  }
  return any;
}

// Makes a kernel that calls `f`, which has the signature void(const RunArgs&).
// Runs of one kernel do not overlap, but f may use threads.
template <typename F>
KernelPtr MakeKernel(F f) {
  return MakeKernel(MakeAnyFunction(std::move(f)));
}
template <typename F>
KernelPtr MakeKernel(F f, KernelProperties properties) {
  return MakeKernel(MakeAnyFunction(std::move(f)), std::move(properties));
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_FUNCTION_KERNEL_H_
