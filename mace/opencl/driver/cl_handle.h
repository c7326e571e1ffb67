// ClHandle: owns an OpenCL object and releases it on destruction.
// SPDX-License-Identifier: Apache-2.0
//
// OpenCL counts references: a handle has one, and other users that retained the
// object, such as a queue with a command that is not finished, keep it alive.
#ifndef MACE_OPENCL_DRIVER_CL_HANDLE_H_
#define MACE_OPENCL_DRIVER_CL_HANDLE_H_

#include <utility>

#include "mace/base/memory_budget.h"
#include "mace/opencl/driver/cl_api.h"

namespace mace::opencl {

// Owns one reference to an OpenCL object, or none. Moving exchanges the two
// handles, so the target's old object is released when the source goes.
// `release` stays valid, as libOpenCL is never closed.
template <typename T>
class ClHandle {
 public:
  using ReleaseFn = cl_int(CL_API_CALL*)(T);

  ClHandle() = default;
  // Takes over a reference that the caller has. `object` may be null; then
  // `release` is not called.
  ClHandle(T object, ReleaseFn release) : object_(object), release_(release) {}
  ClHandle(ClHandle&& other) noexcept { *this = std::move(other); }
  ClHandle& operator=(ClHandle&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~ClHandle() {
    if (object_ != nullptr) release_(object_);
  }

  // The object, without a reference for the caller; null if there is none.
  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
  ReleaseFn release_ = nullptr;
};

using ClContextHandle = ClHandle<cl_context>;
using ClQueueHandle = ClHandle<cl_command_queue>;
using ClProgramHandle = ClHandle<cl_program>;
using ClKernelHandle = ClHandle<cl_kernel>;
using ClEvent = ClHandle<cl_event>;

// Memory of the device, a buffer or an image, and its share of the engine's
// memory budget, which is given back with it. Memory that is the host's has no
// share.
class ClMem : public ClHandle<cl_mem> {
 public:
  ClMem() = default;
  ClMem(cl_mem memory, ReleaseFn release, MemoryShare share = {})
      : ClHandle(memory, release), share_(std::move(share)) {}

 private:
  MemoryShare share_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_HANDLE_H_
