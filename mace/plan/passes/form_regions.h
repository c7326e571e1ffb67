// FormRegions: one step for the nodes that a device runs as a region.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FORM_REGIONS_H_
#define MACE_PLAN_PASSES_FORM_REGIONS_H_

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Replaces the steps without a kernel that one device can run at a time by one
// step (op "Region"), and prepares it; with `each_node_alone`, makes a region
// of each such step. Before a region come the steps with a kernel whose inputs
// are available. If a region's device lacks memory for it, its nodes become
// steps of `host`, and the log and plan.placements have the reason. Does not
// change a plan whose devices all run single nodes. REQUIRES: nodes are placed,
// but memory is not assigned; `host` is the last device. Errors: those of
// RegionKernels::PrepareRegion but MACE_OUT_OF_RESOURCES; those of `host`.
Status FormRegions(Plan& plan, bool each_node_alone, Device& host);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FORM_REGIONS_H_
