// Checking and placing constants.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/constants.h"

#include "mace/base/large_array.h"

namespace mace::opencl {

Status CheckConstant(const Node& node, size_t i, const char* what) {
  if (node.inputs[i].data != nullptr) return Status();
  return Unsupported(Label(node) + ": on the GPU the " + what +
                     " must be known before the model runs");
}

Result<SharedMem> ArgumentImage(const Node& node, size_t i, int64_t channels,
                                OpenclContext& context) {
  const Extents4 extents = {1, 1, 1, channels};
  if (!node.has_input(i)) {
    MACE_ASSIGN_OR_RETURN(const LargeArray<float> zeros,
                          LargeArray<float>::Create(channels, "a bias"));
    return context.ConstantImage(ImageLayout::kArgument, extents, zeros.data());
  }
  MACE_RETURN_IF_ERROR(CheckConstant(node, i, "bias"));
  return context.ConstantImage(ImageLayout::kArgument, extents, node.inputs[i]);
}

}  // namespace mace::opencl
