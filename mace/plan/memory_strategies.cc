// From the table of planners.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory_strategies.h"

#include "mace/memory/planners.h"
#include "mace/plan/plan.h"

namespace mace {

std::vector<std::string> MemoryStrategies() {
  const std::string kind = "offsets/";
  std::vector<std::string> names, full_names;
  for (const memory::Planner& planner : memory::Planners()) {
    const std::string name = planner.name;
    if (name.rfind(kind, 0) != 0) continue;
    names.push_back(name.substr(kind.size()));
    full_names.push_back(name);
  }
  names.push_back(kPreserveAll);
  names.insert(names.end(), full_names.begin(), full_names.end());
  return names;
}

}  // namespace mace
