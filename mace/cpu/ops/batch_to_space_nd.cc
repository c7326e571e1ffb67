// BatchToSpaceNd on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_to_space_nd.h"

#include "mace/cpu/copy/block_copy.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareBatchToSpaceNd(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BatchToSpaceNdAttrs attrs,
                        ReadAttrs<BatchToSpaceNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      std::vector<CopyBox> boxes,
      BlockBoxes(node, node.outputs[0], node.inputs[0].type, attrs.block_shape,
                 attrs.crops, /*to_batch=*/false));
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs BatchToSpaceNd() { return ForAllTypes(PrepareBatchToSpaceNd); }

}  // namespace mace::cpu
