// BatchNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_norm.h"

#include <cmath>

#include "mace/base/large_array.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

const float* Parameter(const Node& node, size_t i) {
  return static_cast<const float*>(node.inputs[i].data);
}

Result<KernelPtr> Prepare(const Node& node, OpenclContext& context) {
  MACE_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        ReadAttrs<BatchNormAttrs>(node));
  const char* kNames[] = {"", "scale", "offset", "mean", "variance"};
  for (size_t i = 1; i < 5; ++i) {
    MACE_RETURN_IF_ERROR(CheckConstant(node, i, kNames[i]));
  }
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  MACE_ASSIGN_OR_RETURN(const LargeArray<float> scale,
                        LargeArray<float>::Create(e[3], "a scale"));
  MACE_ASSIGN_OR_RETURN(const LargeArray<float> offset,
                        LargeArray<float>::Create(e[3], "an offset"));
  for (size_t c = 0; c < scale.size(); ++c) {
    scale[c] = Parameter(node, 1)[c] /
               std::sqrt(Parameter(node, 4)[c] + attrs.epsilon);
    offset[c] = Parameter(node, 2)[c] - Parameter(node, 3)[c] * scale[c];
  }
  const Extents4 extents = {1, 1, 1, e[3]};
  MACE_ASSIGN_OR_RETURN(
      SharedMem scale_image,
      context.ConstantImage(ImageLayout::kArgument, extents, scale.data()));
  MACE_ASSIGN_OR_RETURN(
      SharedMem offset_image,
      context.ConstantImage(ImageLayout::kArgument, extents, offset.data()));
  Pass pass("batch_norm", "batch_norm", BlockGrid(e));
  pass.In(0).Constant(scale_image).Constant(offset_image).Out().Int(e[3]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return context.MakeKernel({pass});
}

}  // namespace

GpuKernelDef BatchNorm() { return {Prepare}; }

}  // namespace mace::opencl
