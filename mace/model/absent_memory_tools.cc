// Models without plans made ahead: all that a library without the component
// `memory_tools` loads.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/model/prepacked_weights.h"

namespace mace {

Status CheckStoredPlans(const stored::NetDef& net) {
  if (net.memory_plan.has_value()) {
    return AbsentComponent("a model with a memory plan", "memory_tools");
  }
  if (net.packed_weights.has_value()) {
    return AbsentComponent("a model with packed weights", "memory_tools");
  }
  return Status();
}

EmbeddedMemoryPlan ReadMemoryPlan(const stored::MemoryPlan&) { return {}; }

Status CheckHeadBytes(const stored::PackedWeights&, size_t) { return Status(); }

Status ReadPackedWeights(const stored::NetDef&, Model*) { return Status(); }

}  // namespace mace
