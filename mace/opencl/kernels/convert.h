// Kernels that move tensors between host memory and images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_CONVERT_H_
#define MACE_OPENCL_KERNELS_CONVERT_H_

#include "mace/opencl/launch/opencl_context.h"

namespace mace::opencl {

// Makes the kernel that converts the node's input to the layout of its output.
// REQUIRES: the layout of one of the two is kImage, and the other one is
// float32. Errors: as OpenclContext::MakeKernel.
Result<KernelPtr> MakeConvert(const Node& node, OpenclContext& context);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_CONVERT_H_
