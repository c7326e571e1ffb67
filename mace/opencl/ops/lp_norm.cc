// LpNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lp_norm.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/normalization.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeLpNorm(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  MACE_ASSIGN_OR_RETURN(const Reduction reduction,
                        ReductionOf(node, x, {axis}));
  Reducer reducer(node, reduction, target);
  MACE_ASSIGN_OR_RETURN(const size_t length, reducer.AddImage());
  MACE_RETURN_IF_ERROR(reducer.Add(attrs.p == 1 ? "L1" : "L2", length));
  reducer.passes.push_back(
      NormalizePass("LENGTH", reduction, length, length, attrs.epsilon));
  KernelSpec::Info info;
  info.scratch_images = reducer.images;
  return KernelSpec{std::move(reducer.passes), info};
}

}  // namespace

GpuKernelDef LpNorm() { return {DescribeLpNorm}; }

}  // namespace mace::opencl
