// Planning memory without the component `memory_tools`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/given_plan.h"
#include "mace/plan/memory/order.h"

namespace mace {

OrderAnswer FindOrder(const Plan&) { return {}; }

Result<bool> UseGivenPlan(const memory::Strategy&, const PlanOptions&,
                          memory::Problem&, Plan&) {
  return false;
}

}  // namespace mace
