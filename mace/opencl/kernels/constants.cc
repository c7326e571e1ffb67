// Checking and describing constants.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/constants.h"

#include <utility>

namespace mace::opencl {

Status CheckConstant(const Node& node, size_t i, const char* what) {
  if (node.inputs[i].data != nullptr) return Status();
  return Unsupported(Label(node), ": on the GPU the ", what,
                     " must be known before the model runs");
}

Result<ConstantPtr> ArgumentImage(const Node& node, size_t i, int64_t channels,
                                  const Target& target) {
  const Extents4 extents = {1, 1, 1, channels};
  if (!node.has_input(i)) {
    return target.ComputedImage(ImageLayout::kArgument, extents, {}, "zeros",
                                [](float*) {});
  }
  MACE_RETURN_IF_ERROR(CheckConstant(node, i, "bias"));
  return target.ConstantImage(ImageLayout::kArgument, extents, node.inputs[i]);
}

Status AddTensor(const Node& node, size_t i, PixelType pixels,
                 const Target& target, Pass& pass) {
  const Operand& operand = node.inputs[i];
  if (operand.data == nullptr) {
    pass.In(i);
    return Status();
  }
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr image,
      target.RearrangedImage(ImageLayout::kChannelMajor,
                             AsNhwc(operand.type.shape), operand, "elements",
                             {}, pixels));
  pass.Constant(std::move(image));
  return Status();
}

}  // namespace mace::opencl
