// Expand on the CPU: a copy whose source has stride 0 where an axis is
// repeated.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareExpand(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  const TensorType& y = node.outputs[0];
  std::vector<int64_t> strides = DenseStrides(x.shape);
  for (int d = 0; d < x.rank(); ++d) {
    if (x.shape[d] == 1) strides[d] = 0;
  }
  strides.insert(strides.begin(), y.rank() - x.rank(), 0);
  return MakeCopyKernel(context, {MakeBox(SizeOf(x.dtype), y.shape, strides, 0,
                                          DenseStrides(y.shape), 0)});
}

}  // namespace

CpuKernelDefs Expand() { return ForAllTypes(PrepareExpand); }

}  // namespace mace::cpu
