// ClContext: an OpenCL device, its context and its limits.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CL_CONTEXT_H_
#define MACE_OPENCL_DRIVER_CL_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "mace/opencl/driver/cl_api.h"
#include "mace/opencl/driver/cl_handle.h"
#include "mace/opencl/driver/device_info.h"
#include "mace/public/mace_runtime.h"

namespace mace::opencl {

struct ContextOptions {
  GPUPerfHint perf_hint = PERF_DEFAULT;
  GPUPriorityHint priority_hint = PRIORITY_DEFAULT;
  // The app's context and device, used instead of new ones; the hints have no
  // effect then. Both or neither are set. The context is retained.
  cl_context context = nullptr;
  cl_device_id device = nullptr;
};

// What the four components of an image's pixels are.
enum class PixelType {
  kFloat,
  kHalf,
  kSnorm8,  // int8 c, which kernels read as c / 127; -128 as -1
  kUnorm8,  // int8 c, stored as c + 128, which kernels read as (c + 128) / 255
};

// Returns the bytes of all four components: 16, 8 or 4.
int64_t BytesOfPixel(PixelType type);

// Thread-safe after Create.
class ClContext {
 public:
  // Chooses, from the devices of all platforms that are fit (WhyUnfit), the
  // first GPU or else the first device; or retains the app's context. `api`
  // must outlive the context. Errors: MACE_UNSUPPORTED, with each device and
  // what it lacks; MACE_INVALID_ARGS for an app's context that the driver does
  // not know, or that is not one of the app's device; MACE_OUT_OF_RESOURCES or
  // MACE_RUNTIME_ERROR of the driver.
  static Result<std::unique_ptr<ClContext>> Create(
      const ClApi& api, const ContextOptions& options);

  const ClApi& api() const { return *api_; }
  cl_context get() const { return context_.get(); }
  cl_device_id device() const { return device_; }
  const DeviceInfo& info() const { return info_; }

  // Creates an in-order queue; with `profiling`, events of its commands know
  // their times. Errors: those of the driver.
  Result<ClQueueHandle> CreateQueue(bool profiling) const;
  // Creates a buffer that kernels read and write, with a copy of `contents` if
  // that is not null. The bytes count in the engine's memory budget. Errors:
  // those of the driver; MACE_OUT_OF_RESOURCES, also if the budget is used up.
  Result<ClMem> CreateBuffer(size_t bytes, const void* contents) const;
  // Returns a buffer that is the host's memory itself, which must outlive it.
  // Returns null if the device does not share memory with the host, if `data`
  // is not at a 64-byte boundary, or if the driver refuses.
  ClMem WrapHost(void* data, size_t bytes) const;
  // Creates an image of `width` x `height` RGBA pixels: a copy of `contents`,
  // which are rows without gaps of the components of `type`, or, if that is
  // null, of undefined values. With `contents`, kernels only read it. Errors:
  // as CreateBuffer.
  Result<ClMem> CreateImage(size_t width, size_t height, PixelType type,
                            const void* contents) const;

 private:
  ClContext() = default;

  const ClApi* api_ = nullptr;
  cl_device_id device_ = nullptr;
  DeviceInfo info_;
  ClContextHandle context_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_CONTEXT_H_
