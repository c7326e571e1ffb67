// FormRegions: one step for the nodes that a device runs as a region.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_FORM_REGIONS_H_
#define MACE_PLAN_PASSES_FORM_REGIONS_H_

#include "mace/base/status.h"
#include "mace/plan/plan.h"

namespace mace {

// Makes one step (op "Region") of as many steps without a kernel as one device
// can run at a time, and prepares it; with `each_node_alone`, of each. Steps
// that others wait for come first then. A plan whose devices all run single
// nodes is left alone. The steps must be placed, their memory not yet.
// Errors: of RegionKernels::PrepareRegion.
Status FormRegions(Plan& plan, bool each_node_alone);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_FORM_REGIONS_H_
