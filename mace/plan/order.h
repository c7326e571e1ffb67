// SearchOrder: an order of the steps that needs little memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ORDER_H_
#define MACE_PLAN_ORDER_H_

#include <vector>

#include "mace/graph/graph.h"
#include "mace/plan/plan.h"

namespace mace {

// A permutation of the steps that keeps every step after those it reads from,
// found by a beam search over sets of finished steps with the peak of live
// bytes as its cost. Deterministic. The order of the model is among those
// tried, so the peak of the answer, counted in whole values, is never higher.
//
// Source of the formulation: Ahn et al., "Ordering Chaos: Memory-Aware
// Scheduling of Irregularly Wired Neural Networks for Edge Devices" (SERENITY),
// MLSys 2020, section 3.
std::vector<int> SearchOrder(const Graph& graph,
                             const std::vector<Step>& steps);

}  // namespace mace

#endif  // MACE_PLAN_ORDER_H_
