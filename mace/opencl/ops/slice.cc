// Slice on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/slice.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeSlice(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, SliceOf(node));
  return DescribeMove(node, SliceMap(node.inputs[0].type.shape, spec));
}

}  // namespace

GpuKernelDef Slice() { return {DescribeSlice}; }

}  // namespace mace::opencl
