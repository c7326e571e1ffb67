// Slice on the CPU: one strided copy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/slice_copy.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareSlice(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, SliceOf(node));
  return MakeSliceKernel(context, node.inputs[0].type, spec);
}

}  // namespace

CpuKernelDefs Slice() { return ForAllTypesAndFp16(PrepareSlice); }

}  // namespace mace::cpu
