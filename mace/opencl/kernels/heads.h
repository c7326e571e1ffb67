// Operands whose heads are an axis, or parts of the last one, on the GPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_HEADS_H_
#define MACE_OPENCL_KERNELS_HEADS_H_

#include "mace/opencl/launch/pass.h"
#include "mace/ops/common/heads.h"

namespace mace::opencl {

// Adds the numbers that prelude.cl calls HEADS. `has_axis`: the heads are an
// axis of their own.
void AddHeads(const HeadsOf& h, bool has_axis, Pass& pass);

// Checks that the GPU can read such heads. Errors: MACE_UNSUPPORTED if they are
// parts of the last axis and their depth is not a multiple of 4, because heads
// must begin with a block of four channels.
Status CheckHeads(const Node& node, const HeadsOf& h, bool has_axis);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_HEADS_H_
