// OpenclContext: the state that the GPU kernels of one engine share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_
#define MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_

#include <memory>
#include <vector>

#include "mace/device/device_weights.h"
#include "mace/device/kernel.h"
#include "mace/opencl/driver/cl_runtime.h"
#include "mace/opencl/launch/launch.h"
#include "mace/opencl/launch/queue.h"
#include "mace/opencl/launch/target.h"
#include "mace/opencl/launch/tuner.h"

namespace mace::opencl {

// Not thread-safe. Must outlive the kernels that it makes, which use its queue.
class OpenclContext {
 public:
  // With `checked`, kernels count accesses outside of their images. `weights`
  // holds the constants that kernels share with other engines. Errors: those of
  // the driver.
  static Result<std::unique_ptr<OpenclContext>> Create(
      std::shared_ptr<ClRuntime> runtime,
      std::shared_ptr<DeviceWeights> weights, bool checked);

  const ClContext& cl() const { return runtime_->context(); }
  const DeviceInfo& info() const { return cl().info(); }
  ClRuntime& runtime() { return *runtime_; }
  Queue& queue() { return queue_; }
  // For the constructors of LaunchingKernels; each kernel leaves the register
  // when it is destroyed.
  KernelRegister& kernels() { return kernels_; }

  // Returns the kernel of this backend that a plan knows as `kernel`, or null
  // if it is one of another device. Needed as there is no RTTI.
  LaunchingKernel* Find(const Kernel& kernel) const {
    const auto found = kernels_.find(&kernel);
    return found == kernels_.end() ? nullptr : found->second;
  }

  // Makes a kernel that runs the passes of `spec` one after the other. Its
  // output and scratch images hold `image_dtype`. An input that no pass reads
  // as an image stays in host memory (but input 0 is an image if renames_only).
  // Uploads the constants that are not on the device yet. The programs are only
  // requested; FinishKernels compiles them. Errors: MACE_OUT_OF_RESOURCES;
  // those of the driver; as ProgramPool::Get.
  Result<std::unique_ptr<LaunchingKernel>> MakeKernel(KernelSpec spec,
                                                      DataType image_dtype);

  // Compiles the programs of the kernels that were made since the last call and
  // still exist, and finishes their launches: only then may they run. Also
  // compiles programs that other engines requested. Errors: as
  // ProgramPool::Build and Launch::Finish.
  Status FinishKernels(const BuildOptions& options);

 private:
  OpenclContext(std::shared_ptr<ClRuntime> runtime,
                std::shared_ptr<DeviceWeights> weights)
      : runtime_(std::move(runtime)), weights_(std::move(weights)) {}

  // Replaces each ConstantPtr of the arguments by its memory.
  Status UploadConstants(Pass& pass);

  std::shared_ptr<ClRuntime> runtime_;
  std::shared_ptr<DeviceWeights> weights_;
  Queue queue_;
  KernelRegister kernels_;
  SharedMem violations_;  // null: not a checked build
  // Launches that FinishKernels must finish.
  std::vector<std::weak_ptr<Launch>> unfinished_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_
