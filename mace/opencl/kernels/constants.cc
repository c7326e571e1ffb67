// Checking and describing constants.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/constants.h"

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

}  // namespace mace::opencl
