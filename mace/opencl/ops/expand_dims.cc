// ExpandDims on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernel_table.h"
#include "mace/opencl/move.h"

namespace mace::opencl {

GpuKernelDef ExpandDims() { return {MakeReshape}; }

}  // namespace mace::opencl
