// InsertConverts: moves tensors between devices and layouts.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_LAYOUT_H_
#define MACE_PLAN_STAGES_LAYOUT_H_

#include "mace/plan/types/plan.h"

namespace mace {

// Gives every value that a step reads or writes as an image a copy of
// Layout::kImage, and adds the steps (op "Upload" or "Download") that compute
// one from the other: at most one per value and direction, as late as possible.
// Does not change a plan in which no step writes images. REQUIRES: each step
// has a kernel. Errors: those of DeviceStorage::PrepareConvert.
Status InsertConverts(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_LAYOUT_H_
