// PlaceNodes: decides which device runs which node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_PLACE_H_
#define MACE_PLAN_STAGES_PLACE_H_

#include <vector>

#include "mace/plan/types/plan.h"

namespace mace {

// Makes a step for each node of plan.graph, in the same order, on a device that
// supports it. If there are several devices, they are chosen such that running
// the nodes and moving tensors costs little (Device::speed, SolvePlacement). At
// most one device with storage of its own is used: the one with which the plan
// costs least. Then prepares each node on its device. Steps of devices that run
// regions get no kernel yet: FormRegions comes next. Fills in plan.steps and,
// if there are several devices, plan.placements. Errors: MACE_UNSUPPORTED,
// naming the first node that no device can run, with each device's reason, or
// if the nodes need two devices with storage of their own;
// MACE_OUT_OF_RESOURCES; MACE_CANCELLED; MACE_INTERNAL_ERROR for a device that
// does not prepare what it supports; errors of a driver.
Status PlaceNodes(Plan& plan, const std::vector<Device*>& devices);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_PLACE_H_
