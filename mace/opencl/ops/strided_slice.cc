// StridedSlice on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/strided_slice.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelPtr> Prepare(const Node& node, OpenclContext& context) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, StridedSliceOf(node));
  return MakeMove(node, SliceMap(node.inputs[0].type.shape, spec), context);
}

}  // namespace

GpuKernelDef StridedSlice() { return {Prepare}; }

}  // namespace mace::opencl
