// LayerNorm on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/layer_norm.h"

#include <algorithm>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

const float* Optional(const RunArgs& args, size_t i) {
  return i < args.inputs.size() ? args.inputs[i].as<const float>() : nullptr;
}

Result<KernelPtr> PrepareLayerNormF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LayerNormAttrs attrs,
                        ReadAttrs<LayerNormAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  const int64_t rows = NumElements(mace::Shape(x.begin(), x.begin() + axis));
  const int64_t n = NumElements(mace::Shape(x.begin() + axis, x.end()));
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, rows, n, attrs,
       set = ChooseRow(kRowF32, context.features).set](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        const float* scale = Optional(args, 1);
        const float* offset = Optional(args, 2);
        float* to = args.outputs[0].as<float>();
        const int64_t tile = 4096 / std::max<int64_t>(1, n) + 1;
        threads->ParallelFor(rows, tile, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            set->layer_norm({static_cast<size_t>(n), from + r * n, scale,
                             offset, attrs.centered, attrs.epsilon,
                             to + r * n});
          }
        });
      },
      properties);
}

}  // namespace

CpuKernelDefs LayerNorm() { return {{DataType::kF32, PrepareLayerNormF32}}; }

}  // namespace mace::cpu
