// The order of a plan's steps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order.h"

namespace mace {

OrderAnswer FindOrder(const Plan& plan) {
  return SearchOrder(MakeOrderProblem(plan.graph, plan.steps), kOrderBudget);
}

}  // namespace mace
