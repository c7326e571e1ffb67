// What engines do without the component `memory_tools`.
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/report/memory_usage.h"

namespace mace {

Result<MaceMemoryUsage> MaceEngine::Impl::Usage() const {
  return AbsentComponent("GetMemoryUsage", "memory_tools");
}

Result<MaceMemoryTotals> MaceEngine::Impl::Totals() const {
  return AbsentComponent("GetMemoryTotals", "memory_tools");
}

std::string ToText(const MaceMemoryUsage&) { return ""; }
std::string ToText(const MaceMemoryTotals&) { return ""; }

MaceStatus MaceEngine::QueryArenaBytes(std::shared_ptr<MaceModel>,
                                       const std::vector<std::string>&,
                                       const MaceEngineConfig&, size_t*) {
  return AbsentComponent("QueryArenaBytes", "memory_tools");
}

MaceStatus MaceEngine::QueryArenaBytes(
    std::shared_ptr<MaceModel>, const std::vector<std::string>&,
    const MaceEngineConfig&, const std::map<std::string, std::vector<int64_t>>&,
    size_t*) {
  return AbsentComponent("QueryArenaBytes", "memory_tools");
}

// A model with packed weights does not load.
Status UsePrepacked(const Model&, bool, PackedWeights*) { return Status(); }

}  // namespace mace
