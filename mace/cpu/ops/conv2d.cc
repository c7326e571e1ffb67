// Conv2d on the CPU: by Winograd's algorithm where it pays, else a matrix
// product of patches and packed filters.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/conv2d.h"

#include "mace/cpu/conv_choice.h"
#include "mace/cpu/conv_kernel.h"
#include "mace/cpu/conv_winograd_kernel.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/gemm_pack.h"
#include "mace/cpu/kernel_inputs.h"
#include "mace/cpu/kernel_table.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  ConvShape s;
  MACE_ASSIGN_OR_RETURN(s.window, Conv2dWindow(node, attrs));
  s.batch = node.inputs[0].type.shape[0];
  s.in_channels = node.inputs[0].type.shape[3];
  s.out_channels = node.outputs[0].shape[3];
  s.group = attrs.group;
  if (context.reference) {
    return MakeKernel([s, act](const RunArgs& args) {
      ReferenceConv(s, act, args.inputs[0].as<const float>(),
                    args.inputs[1].as<const float>(), BiasF32(args),
                    args.outputs[0].as<float>());
    });
  }
  if (node.inputs[1].data != nullptr) {
    const GemmF32& direct = ChooseGemm(node.inputs[1], context.features);
    const int m = ChooseWinograd(
        s, context.max_winograd,
        sizeof(float) / static_cast<double>(direct.operands.bytes));
    if (m > 0) return PrepareConvWinograd(node, s, m, act, context);
  }
  const FilterLayout oihw = {"oihw", s.out_per_group() * s.in_per_group(),
                             s.in_per_group(), 1};
  return PrepareConvGemm(node, s, oihw, act, context);
}

}  // namespace

CpuKernelDefs Conv2d() { return {{DataType::kF32, PrepareF32, 1}}; }

}  // namespace mace::cpu
