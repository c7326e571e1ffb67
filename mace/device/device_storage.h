// DeviceStorage: the part of a device that keeps activations in memory of its
// own, as 2-D images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_STORAGE_H_
#define MACE_DEVICE_DEVICE_STORAGE_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace {

// The images that a device made for one plan; freed with the object.
class DeviceImages {
 public:
  virtual ~DeviceImages() = default;
  virtual Buffer at(size_t i) const = 0;
};

// The caller's memory for a tensor, on the device: a buffer with the elements
// as host memory would have them, or an image as the device's kernels do.
struct DeviceMemory {
  void* handle = nullptr;
  bool is_image = false;
  bool is_output = false;
};

// What callers make such memory with: a cl_context and its cl_device_id.
struct NativeHandles {
  void* context = nullptr;
  void* device = nullptr;
};

// Memory of another part of the system: a dma-buf, mapped at `mapped`, or else
// an AHardwareBuffer.
struct ExternalMemory {
  int dma_buf = -1;
  void* hardware_buffer = nullptr;
  void* mapped = nullptr;
  size_t bytes = 0;
};

class DeviceStorage {
 public:
  virtual ~DeviceStorage() = default;

  // A kernel that moves a tensor between the host and an image, from the type
  // of the node's input to that of its output.
  virtual Result<KernelPtr> PrepareConvert(const Node& node) = 0;

  // Pixels that a tensor takes as an image. Errors: MACE_UNSUPPORTED, with the
  // limit and the cure, for one that is too large or of another type.
  virtual Result<Extent2D> ImageExtentOf(const TensorType& type) const = 0;

  // What an image holds that no kernel asks to be of another type, and the
  // largest one.
  virtual DataType image_dtype() const = 0;
  virtual Extent2D max_image_extent() const = 0;

  // Errors: MACE_OUT_OF_RESOURCES; of a driver.
  virtual Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types) = 0;

  // Whether it may serve as a tensor of this type. Errors: MACE_INVALID_ARGS
  // with what is wrong (context, kind, size, format, access) and what would be
  // right.
  virtual Status CheckMemory(const DeviceMemory& memory,
                             const TensorType& type) const = 0;
  virtual NativeHandles native_handles() const = 0;

  // Returns memory of the device, as of DeviceMemory, that is `memory` itself.
  // Errors: MACE_UNSUPPORTED, with what the device lacks; of a driver.
  virtual Result<std::shared_ptr<void>> ImportMemory(
      const ExternalMemory& /*memory*/) {
    return Unsupported("this device imports no memory");
  }

  // The buffer that `convert`, of PrepareConvert, reads or writes from now on
  // in place of host memory; null: host memory again.
  virtual void UseBuffer(Kernel& convert, void* buffer) = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_STORAGE_H_
