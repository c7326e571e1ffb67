// ConstantData: data that a pass reads and that is known before the model runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_CONSTANT_H_
#define MACE_OPENCL_LAUNCH_CONSTANT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mace/device/device_weights.h"
#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/launch/image_layout.h"

namespace mace::opencl {

// Memory on the device that the kernels using it share.
using SharedMem = std::shared_ptr<const ClMem>;

// Only a description: it is computed and uploaded when a kernel is made. It
// points into the node that it describes. Made by Target.
struct ConstantData {
  // Constants with the same name have the same contents. Empty: the constant
  // belongs to this plan only.
  std::string name;
  // If not empty, the constant is a buffer of these bytes. Else it is an image
  // of a float tensor.
  std::vector<uint8_t> bytes;
  ImageLayout layout = ImageLayout::kChannelMajor;
  Extents4 extents = {0, 0, 0, 0};
  DataType dtype = DataType::kF32;   // of the image: kF32 or kF16
  const float* elements = nullptr;   // the dense tensor, or null: use `fill`
  std::function<void(float*)> fill;  // computes the tensor; starts from zeros
};
using ConstantPtr = std::shared_ptr<const ConstantData>;

// Returns the memory of a constant, and uploads it unless a copy with the same
// name is alive. Errors: MACE_OUT_OF_RESOURCES; those of the driver.
Result<SharedMem> GetOrUpload(const ConstantData& constant,
                              const ClContext& context, DeviceWeights& weights);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_CONSTANT_H_
