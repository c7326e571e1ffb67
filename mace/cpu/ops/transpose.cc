// Transpose on the CPU: one strided copy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/transpose.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareTranspose(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims, TransposeDims(node));
  const TensorType& y = node.outputs[0];
  const auto x_strides = DenseStrides(node.inputs[0].type.shape);
  std::vector<int64_t> strides;
  for (int d : dims) strides.push_back(x_strides[d]);
  return MakeCopyKernel(context, {MakeBox(SizeOf(y.dtype), y.shape, strides, 0,
                                          DenseStrides(y.shape), 0)});
}

}  // namespace

CpuKernelDefs Transpose() { return ForAllTypesAndFp16(PrepareTranspose); }

}  // namespace mace::cpu
