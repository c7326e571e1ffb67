// The constants of a node, as images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_CONSTANTS_H_
#define MACE_OPENCL_KERNELS_CONSTANTS_H_

#include "mace/opencl/launch/pass.h"
#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// Checks that input `i` is a constant; `what` names it in messages. REQUIRES:
// the node has the input. Errors: MACE_UNSUPPORTED if it is not, as for an
// input of the model or the output of another node.
Status CheckConstant(const Node& node, size_t i, const char* what);

// Returns input `i`, a vector of `channels` elements, as an image of layout
// kArgument. If the node has no such input, the image holds zeros. Errors: as
// CheckConstant and Target::ConstantImage.
Result<ConstantPtr> ArgumentImage(const Node& node, size_t i, int64_t channels,
                                  const Target& target);

// Gives the kernel input `i` in layout kChannelMajor: its own image, or one of
// `pixels` if it is a constant. Errors: as Target::RearrangedImage.
Status AddTensor(const Node& node, size_t i, PixelType pixels,
                 const Target& target, Pass& pass);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_CONSTANTS_H_
