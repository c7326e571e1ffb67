// FormRegions: one step for the nodes that a device runs as a region.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FORM_REGIONS_H_
#define MACE_PLAN_PASSES_FORM_REGIONS_H_

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Replaces as many steps without a kernel as one device can run at a time by
// one step (op "Region"), and prepares it; with `each_node_alone`, each of
// them. Steps on which others wait come first. The nodes of a region for which
// its device lacks memory become steps of `host`, and the log and
// plan.placements say so. Does not change a plan whose devices all run single
// nodes. REQUIRES: nodes are placed, but memory is not assigned; `host` is the
// last device. Errors: others of RegionKernels::PrepareRegion; those of `host`.
Status FormRegions(Plan& plan, bool each_node_alone, Device& host);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FORM_REGIONS_H_
