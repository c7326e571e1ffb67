// The names of the memory strategies that an engine accepts.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_MEMORY_STRATEGIES_H_
#define MACE_PLAN_MEMORY_MEMORY_STRATEGIES_H_

#include <string>
#include <vector>

#include "mace/base/status.h"

namespace mace {

// Returns the values that PlanOptions::memory_strategy may have: the names of
// memory::Strategies, in the same order.
std::vector<std::string> MemoryStrategies();

// Errors: MACE_INVALID_ARGS for an unknown strategy; the message lists the
// names.
Status CheckMemoryStrategy(const std::string& strategy);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_MEMORY_STRATEGIES_H_
