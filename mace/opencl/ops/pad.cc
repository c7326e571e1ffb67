// Pad on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pad.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

MoveMode ModeOf(PadMode mode) {
  switch (mode) {
    case PadMode::kReflect:
      return MoveMode::kReflect;
    case PadMode::kSymmetric:
      return MoveMode::kSymmetric;
    case PadMode::kEdge:
      return MoveMode::kEdge;
    case PadMode::kConstant:
      break;
  }
  return MoveMode::kConstant;
}

Result<KernelSpec> DescribePad(const Node& node, const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const PadSpec spec, PadOf(node));
  const Shape& x = node.inputs[0].type.shape;
  const Shape& y = node.outputs[0].shape;
  const std::vector<int64_t> strides = DenseSteps(x), divisors = DenseSteps(y);
  MoveMap map;
  map.mode = ModeOf(spec.mode);
  map.fill = spec.constant_value;
  for (size_t d = 0; d < x.size(); ++d) {
    map.axes.push_back(
        {-spec.pads[2 * d], x[d], strides[d], {{divisors[d], y[d], 1}}});
  }
  return DescribeMove(node, std::move(map));
}

}  // namespace

GpuKernelDef Pad() { return {DescribePad}; }

}  // namespace mace::opencl
