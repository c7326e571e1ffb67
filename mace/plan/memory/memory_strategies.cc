// The names of the memory strategies.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/memory_strategies.h"

#include "mace/memory/strategy.h"

namespace mace {

std::vector<std::string> MemoryStrategies() {
  std::vector<std::string> names;
  for (const memory::Strategy& strategy : memory::Strategies()) {
    names.push_back(strategy.name);
  }
  return names;
}

Status CheckMemoryStrategy(const std::string& strategy) {
  return memory::FindStrategy(strategy).status();
}

}  // namespace mace
