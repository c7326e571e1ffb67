// Buffers of memory that another part of the system made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_IMPORT_MEMORY_H_
#define MACE_OPENCL_DRIVER_IMPORT_MEMORY_H_

#include <CL/cl_ext.h>

#include "mace/device/device_storage.h"
#include "mace/opencl/driver/cl_context.h"

namespace mace::opencl {

// Returns a buffer of the context that is `memory` itself, not a copy, through
// the extensions of Arm's and Qualcomm's drivers. Errors: MACE_UNSUPPORTED,
// with the extensions that the device lacks; those of the driver.
Result<ClMem> ImportMemory(const ClContext& context,
                           const ExternalMemory& memory);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_IMPORT_MEMORY_H_
