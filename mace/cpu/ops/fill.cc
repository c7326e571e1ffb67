// Fill on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/fill.h"

#include "mace/cpu/common/convert.h"
#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareFill(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const FillAttrs attrs, ReadAttrs<FillAttrs>(node));
  const TensorType& y = node.outputs[0];
  uint64_t value = 0;
  ConvertElements(DataType::kF32, &attrs.value, y.dtype, &value, 1);
  return MakeCopyKernel(context, {FillBox(y)}, &value);
}

}  // namespace

CpuKernelDefs Fill() {
  return ForTypes({DataType::kI32, DataType::kI64}, PrepareFill);
}

}  // namespace mace::cpu
