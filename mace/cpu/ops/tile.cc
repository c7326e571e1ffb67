// Tile on the CPU: a copy in which each axis of y is split into [repeats,
// extent].
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareTile(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  const TensorType& y = node.outputs[0];
  const auto x_strides = DenseStrides(x.shape);
  mace::Shape extents;
  std::vector<int64_t> strides;
  for (int d = 0; d < x.rank(); ++d) {
    extents.push_back(x.shape[d] == 0 ? 0 : y.shape[d] / x.shape[d]);
    extents.push_back(x.shape[d]);
    strides.push_back(0);
    strides.push_back(x_strides[d]);
  }
  return MakeCopyKernel(context, {MakeBox(SizeOf(x.dtype), extents, strides, 0,
                                          DenseStrides(extents), 0)});
}

}  // namespace

CpuKernelDefs Tile() { return ForAllTypes(PrepareTile); }

}  // namespace mace::cpu
