// DepthToSpace on the CPU: one strided copy in six dimensions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/depth_to_space.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareDepthToSpace(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const DepthToSpaceAttrs attrs,
                        ReadAttrs<DepthToSpaceAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const int64_t n = x.shape[0], h = x.shape[1], w = x.shape[2];
  const int64_t b = attrs.block_size, c = node.outputs[0].shape[3];
  const int64_t pixel = x.shape[3];
  const bool dcr = attrs.mode == "DCR";
  // y is [n, h, b, w, b, c]. The channels of a pixel of x are [b, b, c] for DCR
  // and [c, b, b] for CRD.
  const int64_t block_row = dcr ? b * c : b;
  const int64_t block_col = dcr ? c : 1;
  const int64_t channel = dcr ? 1 : b * b;
  const mace::Shape y = {n, h, b, w, b, c};
  return MakeCopyKernel(
      context,
      {MakeBox(SizeOf(x.dtype), y,
               {h * w * pixel, w * pixel, block_row, pixel, block_col, channel},
               0, DenseStrides(y), 0)});
}

}  // namespace

CpuKernelDefs DepthToSpace() { return ForAllTypes(PrepareDepthToSpace); }

}  // namespace mace::cpu
