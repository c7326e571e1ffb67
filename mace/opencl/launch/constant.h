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
#include "mace/graph/node.h"
#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/launch/image_layout.h"

namespace mace::opencl {

// Memory on the device that the kernels using it share.
using SharedMem = std::shared_ptr<const ClMem>;

// Writes the elements of a weight in another order, or what is computed from
// them: `to` is the dense tensor of an image and starts from zeros. An empty
// function stands for the weight's own order.
struct Rearrangement {
  std::function<void(const float* from, float* to)> floats;
  std::function<void(const int8_t* from, int8_t* to)> quantized;

  // Of a function that takes either.
  template <typename F>
  static Rearrangement Of(const F& f) {
    return {f, f};
  }
};

// Only a description: it is computed and uploaded when a kernel is made. It
// points into the node that it describes. Made by Target.
struct ConstantData {
  // Constants with the same name have the same contents. Empty: the constant
  // belongs to this plan only.
  std::string name;
  // If not empty, the constant is a buffer of these bytes. Else it is an image
  // of a tensor.
  std::vector<uint8_t> bytes;
  ImageLayout layout = ImageLayout::kChannelMajor;
  Extents4 extents = {0, 0, 0, 0};
  // kHalf: uploaded as kFloat if fp16 cannot hold some element; kernels read
  // both alike.
  PixelType pixels = PixelType::kFloat;
  // The elements: an f32 constant, in the type in which it is stored. For
  // pixels of 8 bits it is stored as int8. Absent: `fill` computes the
  // elements.
  Operand source;
  Rearrangement rearrange;
  std::function<void(float*)> fill;  // starts from zeros
};
using ConstantPtr = std::shared_ptr<const ConstantData>;

// Returns the bytes that a constant takes on the device, if fp16 holds what is
// to be fp16.
int64_t BytesOf(const ConstantData& constant);

// Returns the memory of a constant, and uploads it unless a copy with the same
// name is alive. Errors: MACE_OUT_OF_RESOURCES; those of the driver.
Result<SharedMem> GetOrUpload(const ConstantData& constant,
                              const ClContext& context, DeviceWeights& weights);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_CONSTANT_H_
