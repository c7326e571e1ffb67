// SpaceToBatchNd on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/space_to_batch_nd.h"

#include "mace/cpu/copy/block_copy.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SpaceToBatchNdAttrs attrs,
                        ReadAttrs<SpaceToBatchNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      std::vector<CopyBox> boxes,
      BlockBoxes(node, node.inputs[0].type, node.outputs[0], attrs.block_shape,
                 attrs.paddings, /*to_batch=*/true));
  boxes.insert(boxes.begin(), FillBox(node.outputs[0]));
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs SpaceToBatchNd() { return ForAllTypes(Prepare); }

}  // namespace mace::cpu
