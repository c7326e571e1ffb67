// Split on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/split.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeSplit(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const SplitAttrs attrs, ReadAttrs<SplitAttrs>(node));
  Move move;
  move.x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(move.x.size())));
  SliceSpec spec = WholeSlice(move.x);
  std::vector<Pass> passes;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    move.output = i;
    move.region = node.outputs[i].shape;
    spec.counts[axis] = move.region[axis];
    move.map = SliceMap(move.x, spec);
    Pass pass = MovePass(move);
    passes.push_back(std::move(pass));
    spec.starts[axis] += move.region[axis];
  }
  KernelSpec::Info info;
  info.variant = "move";
  return KernelSpec{std::move(passes), info};
}

}  // namespace

GpuKernelDef Split() { return {DescribeSplit}; }

}  // namespace mace::opencl
