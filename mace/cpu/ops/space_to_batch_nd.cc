// SpaceToBatchNd on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/space_to_batch_nd.h"

#include "mace/cpu/common/convert.h"
#include "mace/cpu/copy/block_copy.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareSpaceToBatchNd(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SpaceToBatchNdAttrs attrs,
                        ReadAttrs<SpaceToBatchNdAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      std::vector<CopyBox> boxes,
      BlockBoxes(node, node.inputs[0].type, node.outputs[0], attrs.block_shape,
                 attrs.paddings, /*to_batch=*/true));
  boxes.insert(boxes.begin(), FillBox(node.outputs[0]));
  // Of quantized values, the zero point stands for 0.
  const QuantizationPtr& q = node.outputs[0].quantization;
  uint64_t zero = 0;
  if (q != nullptr) {
    const int32_t value = q->zero_point();
    ConvertElements(DataType::kI32, &value, node.outputs[0].dtype, &zero, 1);
  }
  return MakeCopyKernel(context, std::move(boxes), &zero);
}

}  // namespace

CpuKernelDefs SpaceToBatchNd() { return ForAllTypes(PrepareSpaceToBatchNd); }

}  // namespace mace::cpu
