// PrepareCustom: the kernel that runs a node of a custom op.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CUSTOM_KERNEL_H_
#define MACE_CPU_CUSTOM_KERNEL_H_

#include "mace/base/thread_pool.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Returns a kernel that calls the app's function. The constants of `node` and
// `threads` must live as long as the kernel. REQUIRES: node.custom.state is not
// null, and the types are inferred.
Result<KernelPtr> PrepareCustom(const Node& node, ThreadPool* threads);

}  // namespace mace::cpu

#endif  // MACE_CPU_CUSTOM_KERNEL_H_
