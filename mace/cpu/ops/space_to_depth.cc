// SpaceToDepth on the CPU: one strided copy in six dimensions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/space_to_depth.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareSpaceToDepth(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SpaceToDepthAttrs attrs,
                        ReadAttrs<SpaceToDepthAttrs>(node));
  const TensorType& y = node.outputs[0];
  const int64_t n = y.shape[0], h = y.shape[1], w = y.shape[2];
  const int64_t b = attrs.block_size, c = node.inputs[0].type.shape[3];
  const int64_t row = w * b * c;  // of x
  const mace::Shape blocks = {n, h, w, b, b, c};
  return MakeCopyKernel(context,
                        {MakeBox(SizeOf(y.dtype), blocks,
                                 {h * b * row, b * row, b * c, row, c, 1}, 0,
                                 DenseStrides(blocks), 0)});
}

}  // namespace

CpuKernelDefs SpaceToDepth() { return ForAllTypes(PrepareSpaceToDepth); }

}  // namespace mace::cpu
