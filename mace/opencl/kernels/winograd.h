// Conv2d by Winograd's minimal filtering.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_WINOGRAD_H_
#define MACE_OPENCL_KERNELS_WINOGRAD_H_

#include "mace/opencl/launch/opencl_context.h"
#include "mace/ops/conv2d.h"

namespace mace::opencl {

// Tiles of how many outputs a side the node is computed in, 2 or 4; 0: in none,
// for the context wants none, the node has not 3x3 taps at stride 1, or it
// would need too large images. With fp16 only 2.
int64_t WinogradTile(const Conv2dAttrs& attrs, const Window2D& window,
                     const Node& node, const OpenclContext& context);

// REQUIRES: `tile` is 2 or 4, from above; the filter is constant.
Result<KernelPtr> MakeWinograd(const Node& node, const Conv2dAttrs& attrs,
                               const Window2D& window, int64_t tile,
                               OpenclContext& context);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_WINOGRAD_H_
