// Checks whether an OpenCL object of the caller can be used as a tensor.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CALLER_MEMORY_H_
#define MACE_OPENCL_DRIVER_CALLER_MEMORY_H_

#include "mace/device/device.h"
#include "mace/opencl/driver/cl_context.h"

namespace mace::opencl {

// Checks that `memory` can hold a tensor: `bytes` is the size of the dense
// tensor, `extent` that of its image. Errors: MACE_INVALID_ARGS, with what is
// wrong and what would be right.
Status CheckCallerMemory(const ClContext& context, const DeviceMemory& memory,
                         size_t bytes, const Extent2D& extent);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CALLER_MEMORY_H_
