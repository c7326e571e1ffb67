// OpenclContext: what the GPU kernels of one engine share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_
#define MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/kernel.h"
#include "mace/graph/node.h"
#include "mace/opencl/driver/cl_runtime.h"
#include "mace/opencl/launch/image_layout.h"
#include "mace/opencl/launch/launch.h"
#include "mace/opencl/launch/pass.h"
#include "mace/opencl/launch/queue.h"
#include "mace/opencl/launch/tuner.h"

namespace mace::opencl {

// What a kernel tells of itself besides its passes.
struct GpuKernelFacts {
  std::string variant;  // empty: the names of the passes
  int64_t macs = 0;
  std::vector<Extent2D> scratch_images;
  bool renames_only = false;  // output 0 is the image of input 0: no passes
};

// Not thread-safe. Outlives the kernels made with it.
class OpenclContext {
 public:
  // `half`: images hold fp16, else floats; kernels compute in float either
  // way. `checked`: kernels count accesses outside of their images.
  // Errors: of the driver.
  static Result<std::unique_ptr<OpenclContext>> Create(
      std::shared_ptr<ClRuntime> runtime, bool half, bool checked,
      int max_winograd);

  const ClContext& cl() const { return runtime_->context(); }
  const DeviceFacts& facts() const { return cl().facts(); }
  ClRuntime& runtime() { return *runtime_; }
  Queue& queue() { return queue_; }
  // What is prepared from now on: constants, and the images of kernels.
  void SetFp16(bool half) { fp16_ = half; }
  bool half() const { return fp16_; }
  DataType image_dtype() const {
    return fp16_ ? DataType::kF16 : DataType::kF32;
  }
  // Of Winograd convolutions, as in OpenclOptions.
  int max_winograd() const { return max_winograd_; }

  // The LaunchingKernel that runs the passes one after the other. Its programs
  // are asked for; FinishKernels compiles them.
  Result<KernelPtr> MakeKernel(std::vector<Pass> passes,
                               GpuKernelFacts facts = {});

  // Compiles, for the kernels made since the last call that still live.
  Status FinishKernels(const BuildOptions& options);

  // An image of `data`, a tensor of these extents, in that layout.
  // Errors: MACE_UNSUPPORTED beyond the limits of images; of the driver.
  Result<SharedMem> ConstantImage(ImageLayout layout, const Extents4& extents,
                                  const float* data) const;
  // The same for a weight or bias. REQUIRES: a float constant.
  Result<SharedMem> ConstantImage(ImageLayout layout, const Extents4& extents,
                                  const Operand& operand) const {
    return ConstantImage(layout, extents,
                         static_cast<const float*>(operand.data));
  }

  // Errors: MACE_UNSUPPORTED, with the limit and the cure.
  Status CheckExtent(const Extent2D& extent, const std::string& what) const;

 private:
  explicit OpenclContext(std::shared_ptr<ClRuntime> runtime)
      : runtime_(std::move(runtime)) {}

  std::shared_ptr<ClRuntime> runtime_;
  Queue queue_;
  bool fp16_ = false;
  int max_winograd_ = 0;
  SharedMem violations_;  // null: not checked
  std::vector<std::weak_ptr<Launch>> unfinished_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_OPENCL_CONTEXT_H_
