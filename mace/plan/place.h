// PlaceNodes: which device runs which node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PLACE_H_
#define MACE_PLAN_PLACE_H_

#include <vector>

#include "mace/plan/plan.h"

namespace mace {

// Makes a step for each node of plan.graph, in their order, on one of the
// devices: where there is one only, on that one; else such that running the
// nodes and moving tensors between devices costs little (Device::speed,
// SolvePlacement), every node on a device that supports it. At most one device
// with storage of its own is used: the one with which that costs least. Then
// prepares the nodes, each on its device only. Steps of devices that run
// regions get no kernel yet: FormRegions comes next. Fills plan.steps and
// plan.placements.
// Errors: MACE_UNSUPPORTED, naming the first node that no device can run, with
// each device's reason; MACE_OUT_OF_RESOURCES; of a driver.
Status PlaceNodes(Plan& plan, const std::vector<Device*>& devices);

}  // namespace mace

#endif  // MACE_PLAN_PLACE_H_
