// Operands that broadcast to the shape of the output, as images and arguments.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_BROADCAST_H_
#define MACE_OPENCL_KERNELS_BROADCAST_H_

#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// AddBroadcastImage adds the image of input `i` to the arguments; a constant
// becomes an image of its own. After all images, AddBroadcastSteps adds the
// five numbers that prelude.cl calls BROADCAST. Errors: MACE_UNSUPPORTED if the
// tensors have more than four axes and only some of the outermost ones
// broadcast, or if the image of a constant is too large.
Status AddBroadcastImage(const Node& node, size_t i, const Target& target,
                         Pass& pass);
void AddBroadcastSteps(const Node& node, size_t i, Pass& pass);

// The same where the operand broadcasts to another shape than the output's.
Status AddBroadcastImage(const Node& node, size_t i, const Shape& out,
                         const Target& target, Pass& pass);
void AddBroadcastSteps(const Operand& operand, const Shape& out, Pass& pass);

// Returns the extents of the image that a constant of this shape gets.
Extents4 BroadcastExtents(const Shape& shape, const Shape& out);

// AddBroadcastSteps for an image of a tensor of extents `operand`.
void AddBroadcastSteps(const Extents4& operand, const Extents4& out,
                       Pass& pass);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_BROADCAST_H_
