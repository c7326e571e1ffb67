// ConstantData: what a pass reads that is known before the model runs.
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

// Memory made when a kernel is prepared, shared by those who use it.
using SharedMem = std::shared_ptr<const ClMem>;

// A description: nothing is computed or uploaded until a kernel is made. Points
// into the node that it describes. Target makes them.
struct ConstantData {
  // The same name means the same contents; empty: of this plan only.
  std::string name;
  // A buffer of these bytes, or else an image of a float tensor.
  std::vector<uint8_t> bytes;
  ImageLayout layout = ImageLayout::kChannelMajor;
  Extents4 extents = {0, 0, 0, 0};
  DataType dtype = DataType::kF32;   // of the image: kF32 or kF16
  const float* elements = nullptr;   // of the tensor, dense; null: `fill`
  std::function<void(float*)> fill;  // computes them into zeros
};
using ConstantPtr = std::shared_ptr<const ConstantData>;

// The memory of a constant: one that lives already, or else uploaded now.
// Errors: MACE_OUT_OF_RESOURCES; of the driver.
Result<SharedMem> GetOrUpload(const ConstantData& constant,
                              const ClContext& context, DeviceWeights& weights);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_CONSTANT_H_
