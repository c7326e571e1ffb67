// Squeeze on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {

GpuKernelDef Squeeze() { return {DescribeReshape}; }

}  // namespace mace::opencl
