// The names of memory strategies that an engine can be given.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_STRATEGIES_H_
#define MACE_PLAN_MEMORY_STRATEGIES_H_

#include <string>
#include <vector>

namespace mace {

// Those that PlanOptions::memory_strategy may have: the names of
// memory::Strategies, in its order.
std::vector<std::string> MemoryStrategies();

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_STRATEGIES_H_
