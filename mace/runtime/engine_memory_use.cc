// What memory engines need and use.
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/runtime/engine.h"
#include "mace/runtime/report/memory_usage.h"

namespace mace {

Result<MaceMemoryUsage> MaceEngine::Impl::Usage() const {
  MaceMemoryUsage usage = UsageOf(plans_->latest().plan(), *model_->impl(),
                                  memory_.sections()->arena());
  usage.allocated_arena_bytes = memory_.workspace().arena_bytes();
  usage.allocated_image_bytes = memory_.workspace().image_bytes();
  const bool no_arena =
      !memory_.has_callers_arena() && usage.allocated_arena_bytes == 0;
  for (MaceMemoryCategory& c : usage.categories) {
    if (c.name == "variables") {
      c.requested_bytes = states_.bytes();
      c.used_bytes = states_.held_bytes();
      c.count = static_cast<int64_t>(states_.size());
    }
    const bool is_image = c.name == "images";
    const bool is_arena = c.name == "activations" || c.name == "scratch";
    if ((is_arena && no_arena) ||
        (is_image && usage.allocated_image_bytes == 0)) {
      c.used_bytes = 0;
    }
  }
  return usage;
}

MaceStatus MaceEngine::QueryArenaBytes(
    std::shared_ptr<MaceModel> model,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, size_t* bytes) {
  return QueryArenaBytes(std::move(model), output_nodes, config, {}, bytes);
}

MaceStatus MaceEngine::QueryArenaBytes(
    std::shared_ptr<MaceModel> model,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config,
    const std::map<std::string, std::vector<int64_t>>& input_shapes,
    size_t* bytes) {
  if (model == nullptr || bytes == nullptr) {
    return InvalidArgument("MaceEngine::QueryArenaBytes: null argument");
  }
  // A stack would not outlive its thread in a child.
  const auto impl = std::make_unique<Impl>();
  MACE_RETURN_IF_ERROR(
      impl->Init(std::move(model), {}, output_nodes, config, true));
  if (!input_shapes.empty()) {
    MACE_RETURN_IF_ERROR(impl->PlanFor(input_shapes));
  }
  *bytes = impl->arena_bytes();
  return MaceStatus();
}

}  // namespace mace
