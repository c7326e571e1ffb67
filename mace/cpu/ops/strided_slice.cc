// StridedSlice on the CPU: one strided copy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/slice_copy.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareStridedSlice(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, StridedSliceOf(node));
  return MakeSliceKernel(context, node.inputs[0].type, spec);
}

}  // namespace

CpuKernelDefs StridedSlice() { return ForAllTypes(PrepareStridedSlice); }

}  // namespace mace::cpu
