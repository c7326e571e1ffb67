// What a device without fused kernels answers when asked for one.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/node_kernels.h"

namespace mace {

Result<KernelPtr> NodeKernels::PrepareFused(
    const std::vector<FusedNode>& nodes) {
  return Unsupported(Label(*nodes[0].node),
                     ": its device has no kernel for several nodes");
}

}  // namespace mace
