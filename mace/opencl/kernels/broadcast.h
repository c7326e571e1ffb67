// Operands that broadcast against the output, as images and arguments.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_BROADCAST_H_
#define MACE_OPENCL_KERNELS_BROADCAST_H_

#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// Adds input `i` of the node and then, once all images are added, with
// AddBroadcastSteps the five numbers that prelude.cl calls BROADCAST. A
// constant becomes an image of its own.
// Errors: MACE_UNSUPPORTED where only some of the outermost of more than four
// extents repeat.
Status AddBroadcastImage(const Node& node, size_t i, const Target& target,
                         Pass& pass);
void AddBroadcastSteps(const Node& node, size_t i, Pass& pass);
// The same for an image of `operand` extents.
void AddBroadcastSteps(const Extents4& operand, const Extents4& out,
                       Pass& pass);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_BROADCAST_H_
