// FormRegions: one step for the nodes that a device runs as a region.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FORM_REGIONS_H_
#define MACE_PLAN_PASSES_FORM_REGIONS_H_

#include "mace/base/status.h"
#include "mace/plan/plan.h"

namespace mace {

// Replaces as many steps without a kernel as one device can run at a time by
// one step (op "Region"), and prepares it; with `each_node_alone`, each of
// them. Steps on which others wait come first. Does not change a plan whose
// devices all run single nodes. REQUIRES: nodes are placed, but memory is not
// assigned. Errors: those of RegionKernels::PrepareRegion.
Status FormRegions(Plan& plan, bool each_node_alone);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FORM_REGIONS_H_
