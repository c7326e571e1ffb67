// FuseNodes: runs consecutive steps as one if the device has a fused kernel for
// them, so that the tensors between them need no memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FUSE_NODES_H_
#define MACE_PLAN_PASSES_FUSE_NODES_H_

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Looks, from each step on, for the longest sequence of at most 8 steps of a
// device for which NodeKernels::PrepareFused has a kernel. Each step but the
// last has one output, which only the next one reads, once. The last step has
// the kernel; its node gets the inputs of all of them, their names ("a + b")
// and their kinds of ops ("DepthwiseConv2d+Conv2d"), and Step::fused lists the
// others. Nodes of more than 16 inputs can only be the first. REQUIRES: nodes
// are placed, but memory is not assigned. Errors: those of PrepareFused but
// MACE_UNSUPPORTED; MACE_OUT_OF_RESOURCES; MACE_CANCELLED.
Status FuseNodes(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FUSE_NODES_H_
