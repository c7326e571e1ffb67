// What an app would set with the component `memory_tools`.
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/components.h"
#include "mace/runtime/settings/config.h"

namespace mace {

MaceStatus MaceEngineConfig::SetOfflineMemoryPlan(const std::vector<int32_t>&) {
  return AbsentComponent("SetOfflineMemoryPlan", "memory_tools");
}

MaceStatus MaceEngineConfig::SetArena(void*, size_t) {
  return AbsentComponent("SetArena", "memory_tools");
}

}  // namespace mace
