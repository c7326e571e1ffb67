// Tensors in memory that another part of the system made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_
#define MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_

#include <vector>

#include "mace/base/status.h"
#include "mace/device/device_storage.h"
#include "mace/public/mace_tensor.h"

namespace mace {

// `storage` is that of the GPU, or null. Returns a tensor in memory of the GPU
// where that can import it, else in host memory, and says why in the log.
// Errors: MACE_INVALID_ARGS; MACE_UNSUPPORTED, with the cure, for an
// AHardwareBuffer that the GPU cannot import.
Result<MaceTensor> ImportTensor(DeviceStorage* storage,
                                const MaceExternalMemory& memory,
                                const std::vector<int64_t>& shape);

}  // namespace mace

#endif  // MACE_RUNTIME_IO_EXTERNAL_MEMORY_H_
