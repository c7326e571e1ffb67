// BatchNorm on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_norm.h"

#include <cmath>
#include <cstdio>

#include "mace/base/c_locale.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

float At(const Operand* parameter, int64_t channel) {
  return static_cast<const float*>(parameter->data)[channel];
}

Result<KernelSpec> DescribeBatchNorm(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        ReadAttrs<BatchNormAttrs>(node));
  const char* kNames[] = {"", "scale", "offset", "mean", "variance"};
  for (size_t i = 1; i < 5; ++i) {
    MACE_RETURN_IF_ERROR(CheckConstant(node, i, kNames[i]));
  }
  const Extents4 e = AsNhwc(node.outputs[0].shape);
  const Operand* const scale = &node.inputs[1];
  const Operand* const offset = &node.inputs[2];
  const Operand* const mean = &node.inputs[3];
  const Operand* const variance = &node.inputs[4];
  const float epsilon = attrs.epsilon;
  const auto scale_of = [=](int64_t c) {
    return At(scale, c) / std::sqrt(At(variance, c) + epsilon);
  };
  const CLocale c_locale;
  char how[40];
  std::snprintf(how, sizeof(how), "BatchNorm %a", double{epsilon});
  const Extents4 extents = {1, 1, 1, e[3]};
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr scale_image,
      target.ComputedImage(ImageLayout::kArgument, extents, {scale, variance},
                           how, [=](float* to) {
                             for (int64_t c = 0; c < e[3]; ++c)
                               to[c] = scale_of(c);
                           }));
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr offset_image,
      target.ComputedImage(
          ImageLayout::kArgument, extents, {offset, mean, scale, variance}, how,
          [=](float* to) {
            for (int64_t c = 0; c < e[3]; ++c) {
              to[c] = At(offset, c) - At(mean, c) * scale_of(c);
            }
          }));
  Pass pass("batch_norm", "batch_norm", BlockGrid(e));
  pass.In(0).Constant(scale_image).Constant(offset_image).Out().Int(e[3]);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  return KernelSpec{{pass}};
}

}  // namespace

GpuKernelDef BatchNorm() { return {DescribeBatchNorm}; }

}  // namespace mace::opencl
