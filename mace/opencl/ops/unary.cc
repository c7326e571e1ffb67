// Unary on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/unary.h"

#include "mace/base/str_cat.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeUnary(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const UnaryAttrs attrs, ReadAttrs<UnaryAttrs>(node));
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  Pass pass("unary", "unary", BlockGrid(e));
  // The device has refused types whose results are truth values, not floats.
  pass.Define("UNARY", StrCat("UNARY_", attrs.type));
  pass.In(0).Out().Int(e[3]);
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef Unary() { return {DescribeUnary}; }

}  // namespace mace::opencl
