// Conv2d by Winograd's minimal filtering.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_WINOGRAD_H_
#define MACE_OPENCL_KERNELS_WINOGRAD_H_

#include "mace/opencl/launch/target.h"
#include "mace/ops/conv2d.h"

namespace mace::opencl {

// Tiles of how many outputs a side the node is computed in, 2 or 4; 0: in none,
// where none are wanted, the node has not 3x3 taps at stride 1, or it
// would need too large images. With fp16 only 2.
int64_t WinogradTile(const Conv2dAttrs& attrs, const Window2D& window,
                     const Node& node, const Target& target);

// REQUIRES: `tile` is 2 or 4, from above; the filter is constant.
Result<KernelSpec> DescribeWinograd(const Node& node, const Conv2dAttrs& attrs,
                                    const Window2D& window, int64_t tile,
                                    const Target& target);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_WINOGRAD_H_
