// FuseNodes: one step for a chain of steps, where the device has a kernel for
// it, so that the tensors between them need no memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FUSE_NODES_H_
#define MACE_PLAN_PASSES_FUSE_NODES_H_

#include "mace/base/status.h"
#include "mace/plan/plan.h"

namespace mace {

// The steps must be placed, their memory not yet.
// Errors: MACE_OUT_OF_RESOURCES.
Status FuseNodes(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FUSE_NODES_H_
