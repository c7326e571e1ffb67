// Pooling on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pooling.h"

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/reference/pooling.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareF32(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  PoolShape s;
  s.type = static_cast<PoolingType>(attrs.pooling_type);
  s.count_include_pad = attrs.count_include_pad;
  MACE_ASSIGN_OR_RETURN(s.window, PoolingWindow(node, attrs));
  s.batch = node.inputs[0].type.shape[0];
  s.channels = node.inputs[0].type.shape[3];
  return MakeKernel([s, act](const RunArgs& args) {
    ReferencePooling(s, act, args.inputs[0].as<const float>(),
                     args.outputs[0].as<float>());
  });
}

}  // namespace

CpuKernelDefs Pooling() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
