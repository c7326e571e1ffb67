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
// in the order of host memory, or an image with the layout that the device's
// kernels use. Not owned.
struct DeviceMemory {
  void* handle = nullptr;
  bool is_image = false;
  bool is_output = false;
};

// The handles with which callers create such memory: a cl_context and its
// cl_device_id.
struct NativeHandles {
  void* context = nullptr;
  void* device = nullptr;
};

// Memory of another component of the system, not owned: an AHardwareBuffer, or,
// if `hardware_buffer` is null, a dma-buf that is mapped at `mapped`.
struct ExternalMemory {
  int dma_buf = -1;
  void* hardware_buffer = nullptr;
  void* mapped = nullptr;
  size_t bytes = 0;
};

class DeviceStorage {
 public:
  virtual ~DeviceStorage() = default;

  // Returns a kernel that moves a tensor between the host and an image, from
  // the type of the node's input to that of its output. REQUIRES: the layout of
  // one of the two types is kImage; the type on the host is float32. Errors:
  // MACE_OUT_OF_RESOURCES; of a driver.
  virtual Result<KernelPtr> PrepareConvert(const Node& node) = 0;

  // Returns the pixels that a tensor takes as an image. Errors:
  // MACE_UNSUPPORTED if the tensor is empty or too large, or if no image holds
  // its type.
  virtual Result<Extent2D> ImageExtentOf(const TensorType& type) const = 0;

  // The type of images unless a kernel demands another one, and the largest
  // image.
  virtual DataType image_dtype() const = 0;
  virtual Extent2D max_image_extent() const = 0;

  // Errors: MACE_OUT_OF_RESOURCES; of a driver.
  virtual Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types) = 0;

  // Checks that `memory` can hold a tensor of this type. Errors:
  // MACE_INVALID_ARGS with what is wrong (context, kind, size, format, access)
  // and what would be right; MACE_UNSUPPORTED as ImageExtentOf.
  virtual Status CheckMemory(const DeviceMemory& memory,
                             const TensorType& type) const = 0;
  virtual NativeHandles native_handles() const = 0;

  // Returns a buffer of the device that is `memory` itself, not a copy, for
  // DeviceMemory::handle. Errors: MACE_UNSUPPORTED, with what the device lacks;
  // of a driver.
  virtual Result<std::shared_ptr<void>> ImportMemory(
      const ExternalMemory& /*memory*/) {
    return Unsupported("this device imports no memory");
  }

  // Makes `convert`, a kernel of PrepareConvert, read or write `buffer` from
  // now on, and not host memory; null: host memory again. The caller keeps
  // `buffer` alive.
  virtual void UseBuffer(Kernel& convert, void* buffer) = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_STORAGE_H_
