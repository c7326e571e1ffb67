// Softmax on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/softmax.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/normalization.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeSoftmax(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const SoftmaxAttrs attrs,
                        ReadAttrs<SoftmaxAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  MACE_ASSIGN_OR_RETURN(const Reduction reduction,
                        ReductionOf(node, x, {axis}));
  Reducer reducer(node, reduction, target);
  MACE_ASSIGN_OR_RETURN(const size_t largest, reducer.AddImage());
  MACE_ASSIGN_OR_RETURN(const size_t mean, reducer.AddImage());
  MACE_RETURN_IF_ERROR(reducer.Add("MAX", largest));
  MACE_RETURN_IF_ERROR(reducer.Add("MEAN_EXP", mean, largest));
  reducer.passes.push_back(
      NormalizePass(attrs.use_log ? "LOG_SOFTMAX" : "SOFTMAX", reduction,
                    largest, mean, static_cast<float>(reduction.count())));
  KernelSpec::Info info;
  info.scratch_images = reducer.images;
  return KernelSpec{std::move(reducer.passes), info};
}

}  // namespace

GpuKernelDef Softmax() { return {DescribeSoftmax}; }

}  // namespace mace::opencl
