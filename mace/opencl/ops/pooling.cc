// Pooling on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pooling.h"

#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/window.h"

namespace mace::opencl {
namespace {

const char* DefineOf(PoolingType type) {
  switch (type) {
    case PoolingType::kAverage:
      return "POOL_AVERAGE";
    case PoolingType::kL2:
      return "POOL_L2";
    case PoolingType::kMax:
      break;
  }
  return "POOL_MAX";
}

Result<KernelSpec> DescribePooling(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, PoolingWindow(node, attrs));
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  Pass pass("pooling", "pooling", BlockGrid(out));
  pass.Define(DefineOf(static_cast<PoolingType>(attrs.pooling_type)));
  pass.In(0).Out();
  AddWindow(window, pass);
  // The ends up to which the divisor of a mean counts the taps.
  const bool pads = attrs.count_include_pad;
  pass.Int(out[3], pads ? 1 : 0, window.h.in + window.h.pad_after,
           window.w.in + window.w.pad_after);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Pooling() { return {DescribePooling}; }

}  // namespace mace::opencl
