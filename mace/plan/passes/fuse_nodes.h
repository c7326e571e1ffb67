// FuseNodes: runs consecutive steps as one if the device has a fused kernel for
// them, so that the tensors between them need no memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FUSE_NODES_H_
#define MACE_PLAN_PASSES_FUSE_NODES_H_

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// REQUIRES: nodes are placed, but memory is not assigned. Errors:
// MACE_OUT_OF_RESOURCES.
Status FuseNodes(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FUSE_NODES_H_
