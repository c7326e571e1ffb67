// ClContext: an OpenCL device, its context and its limits.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CL_CONTEXT_H_
#define MACE_OPENCL_DRIVER_CL_CONTEXT_H_

#include <memory>
#include <string>

#include "mace/opencl/driver/cl_api.h"
#include "mace/opencl/driver/cl_handle.h"
#include "mace/opencl/driver/device_facts.h"
#include "mace/public/mace_runtime.h"

namespace mace::opencl {

struct ContextOptions {
  GPUPerfHint perf_hint = PERF_DEFAULT;
  GPUPriorityHint priority_hint = PRIORITY_DEFAULT;
};

// Thread-safe once made.
class ClContext {
 public:
  // The first GPU among the devices of all platforms that has images and
  // OpenCL 1.2, else the first other device that has. `api` must outlive it.
  // Errors: MACE_UNSUPPORTED, listing each device and what it lacks;
  // MACE_OUT_OF_RESOURCES or MACE_RUNTIME_ERROR of the driver.
  static Result<std::unique_ptr<ClContext>> Create(
      const ClApi& api, const ContextOptions& options);

  const ClApi& api() const { return *api_; }
  cl_context get() const { return context_.get(); }
  cl_device_id device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }

  // An in-order queue. Errors: of the driver.
  Result<ClQueueHandle> CreateQueue(bool profiling) const;
  // Errors: of the driver; MACE_OUT_OF_RESOURCES.
  Result<ClMem> CreateBuffer(size_t bytes, const void* contents) const;
  // A buffer of the host's memory itself, which must stay; null if the device
  // does not share memory with the host, or refuses.
  ClMem WrapHost(void* data, size_t bytes) const;
  Result<ClMem> CreateImage(size_t width, size_t height, bool fp16,
                            const void* contents) const;

 private:
  ClContext() = default;

  const ClApi* api_ = nullptr;
  cl_device_id device_ = nullptr;
  DeviceFacts facts_;
  ClContextHandle context_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_CONTEXT_H_
