// Conv2d by Winograd's minimal filtering.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_WINOGRAD_H_
#define MACE_OPENCL_KERNELS_WINOGRAD_H_

#include "mace/opencl/launch/target.h"
#include "mace/ops/conv2d.h"

namespace mace::opencl {

// Returns the size of the output tiles for the node, 2 or 4, or 0 if Winograd's
// method is turned off, if the filter is not 3x3 with stride 1, one group and
// no dilation, or if images would be too large. In fp16 only 2 is used.
int64_t WinogradTile(const Conv2dAttrs& attrs, const Window2D& window,
                     const Node& node, const Target& target);

// Returns the microseconds that the node takes with these tiles, by the cost
// model.
double WinogradMicros(const Node& node, const Window2D& window, int64_t tile,
                      const Target& target);

// Describes the three passes. REQUIRES: `tile` is 2 or 4, from WinogradTile;
// the filter is a constant. Errors: MACE_UNSUPPORTED.
Result<KernelSpec> DescribeWinograd(const Node& node, const Conv2dAttrs& attrs,
                                    const Window2D& window, int64_t tile,
                                    const Target& target);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_WINOGRAD_H_
