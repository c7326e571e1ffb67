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

Result<MaceMemoryTotals> MaceEngine::Impl::Totals() const {
  MACE_ASSIGN_OR_RETURN(const MaceMemoryUsage usage, Usage());
  const MaceModel::Impl& model = *model_->impl();
  MaceMemoryTotals totals;
  totals.anonymous_bytes =
      usage.allocated_arena_bytes + usage.allocated_image_bytes;
  for (const MaceMemoryCategory& c : usage.categories) {
    if (c.name == "activations" || c.name == "scratch" || c.name == "images") {
      continue;  // in what is allocated
    }
    const bool is_weights = c.name == "weights";
    if (is_weights && model.file != nullptr) {
      totals.mapped_bytes += c.used_bytes;
    } else if (!is_weights || model.model.weights.data.use_count() > 0) {
      totals.anonymous_bytes += c.used_bytes;  // not the app's
    }
  }
  totals.limit_bytes = memory_.budget()->limit();
  totals.available_bytes = memory_.budget()->available();
  totals.taken_bytes = memory_.budget()->used();
  return totals;
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
