// Whether a caller's OpenCL object may serve as a tensor.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CALLER_MEMORY_H_
#define MACE_OPENCL_DRIVER_CALLER_MEMORY_H_

#include "mace/device/device.h"
#include "mace/opencl/driver/cl_context.h"

namespace mace::opencl {

// `bytes`: of the dense tensor; `extent`: of its image. Errors:
// MACE_INVALID_ARGS with what is wrong and what would be right.
Status CheckCallerMemory(const ClContext& context, const DeviceMemory& memory,
                         size_t bytes, const Extent2D& extent);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CALLER_MEMORY_H_
