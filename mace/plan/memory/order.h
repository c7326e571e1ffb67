// SearchOrder: finds an order of the steps that needs little memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_ORDER_H_
#define MACE_PLAN_MEMORY_ORDER_H_

#include <cstdint>
#include <vector>

#include "mace/graph/graph.h"
#include "mace/plan/memory/order_problem.h"
#include "mace/plan/types/plan.h"

namespace mace {

// The work that a plan may spend on its order: about 0.2 s on an AMD EPYC (Zen
// 4). Networks of a hundred nodes take some hundred units; an unrolled
// recurrent one of 10,000 nodes takes 9 million.
inline constexpr int64_t kOrderBudget = 100'000'000;

struct OrderAnswer {
  std::vector<int> order;  // a permutation of the steps; empty: see FindOrder
  OrderSearch search;
};

// Returns an order of the steps with a low peak of live bytes. It uses beam
// searches of growing width over sets of finished steps, one for each segment
// whose peak is above a lower bound of all orders. The peak is never higher
// than that of the given order. The result depends only on the problem and the
// budget, unless the run is cancelled.
//
// Source of the formulation: Ahn et al., "Ordering Chaos: Memory-Aware
// Scheduling of Irregularly Wired Neural Networks for Edge Devices" (SERENITY),
// MLSys 2020, section 3.
OrderAnswer SearchOrder(const OrderProblem& problem, int64_t budget);

// Returns the problem of a plan's steps. Values are counted as a whole; views
// and graph outputs need no bytes.
OrderProblem MakeOrderProblem(const Graph& graph,
                              const std::vector<Step>& steps);

// Searches for an order of a plan's steps, with kOrderBudget. A library without
// the component `memory_tools` returns an empty answer: the order stays.
OrderAnswer FindOrder(const Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ORDER_H_
