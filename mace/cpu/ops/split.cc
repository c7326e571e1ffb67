// Split on the CPU: each output is a box of the input.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/split.h"

#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareSplit(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const SplitAttrs attrs, ReadAttrs<SplitAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  const std::vector<int64_t> strides = DenseStrides(x.shape);
  std::vector<CopyBox> boxes;
  int64_t at = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const mace::Shape& y = node.outputs[i].shape;
    boxes.push_back(MakeBox(SizeOf(x.dtype), y, strides, at * strides[axis],
                            DenseStrides(y), 0));
    boxes.back().output = static_cast<int>(i);
    at += y[axis];
  }
  return MakeCopyKernel(context, std::move(boxes));
}

}  // namespace

CpuKernelDefs Split() { return ForAllTypesAndFp16(PrepareSplit); }

}  // namespace mace::cpu
