// Tensors in memory that another part of the system made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_
#define MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_

#include <vector>

#include "mace/base/status.h"
#include "mace/device/device_storage.h"
#include "mace/public/mace_tensor.h"

namespace mace {

// `storage` is that of the GPU, or null. Returns a float32 tensor in memory of
// the GPU if the GPU can import `memory`; else in host memory, and logs why.
// Errors: MACE_INVALID_ARGS for a shape without elements, if not exactly one
// kind of memory is given, for a dma-buf that is too small or cannot be mapped;
// MACE_UNSUPPORTED, with the cure, for an AHardwareBuffer that the GPU cannot
// import.
Result<MaceTensor> ImportTensor(DeviceStorage* storage,
                                const MaceExternalMemory& memory,
                                const std::vector<int64_t>& shape);

}  // namespace mace

#endif  // MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_
