// Choosing the memory of an engine, and giving it to executors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/memory/engine_memory.h"

#include <utility>
#include <vector>

#include "mace/base/make_shared.h"
#include "mace/plan/types/one_device.h"

namespace mace {

Status EngineMemory::Choose(const MaceEngineConfig::Impl& config,
                            bool query_only) {
  query_only_ = query_only;
  arena_ = config.arena;
  arena_bytes_ = config.arena_bytes;
  if (config.workspace != nullptr && has_callers_arena()) {
    return InvalidArgument(
        "SetArena and ShareMemoryWith exclude each other: an engine in the "
        "caller's arena shares no memory; call one of them");
  }
  workspace_ = config.workspace != nullptr && !is_query()
                   ? config.workspace
                   : MakeShared<Workspace>();
  const int64_t limit = config.settings.values.memory_limit;
  budget_ =
      limit > 0 ? MakeShared<MemoryBudget>(limit) : MemoryBudget::Default();
  sections_ = !has_callers_arena() || is_query()
                  ? MakeShared<memory::ArenaSections>()
                  : MakeShared<memory::ArenaSections>(arena_, arena_bytes_);
  return Status();
}

std::shared_ptr<memory::ArenaSections> EngineMemory::ExchangeSections(
    std::shared_ptr<memory::ArenaSections> sections) {
  std::swap(sections_, sections);
  return sections;
}

Status EngineMemory::Reserve(const Plan& plan) {
  return sections_->GrowHead(static_cast<size_t>(plan.arena_bytes));
}

void EngineMemory::ReleaseSoon() {
  if (workspace_ != nullptr) workspace_->ReleaseSoon();
}

Status EngineMemory::ProvideArena(Executor& executor) const {
  void* arena = arena_;
  if (!has_callers_arena()) {
    MACE_ASSIGN_OR_RETURN(
        arena,
        workspace_->Arena(static_cast<size_t>(executor.plan().arena_bytes)));
  }
  executor.BindArena(arena);
  return Status();
}

Status EngineMemory::ProvideImages(Executor& executor) const {
  const Plan& plan = executor.plan();
  if (kOneDevice || plan.image_device == nullptr ||
      executor.generation() == workspace_->generation()) {
    return Status();
  }
  MACE_ASSIGN_OR_RETURN(
      const std::vector<Buffer> images,
      workspace_->Images(*plan.image_device->storage(), plan.images));
  executor.BindImages(images, workspace_->generation());
  return Status();
}

}  // namespace mace
