// EngineMemory: what an engine may allocate, and the memory in which its plans
// compute.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MEMORY_ENGINE_MEMORY_H_
#define MACE_RUNTIME_MEMORY_ENGINE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mace/base/memory_budget.h"
#include "mace/base/status.h"
#include "mace/memory/arena_sections.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/memory/workspace.h"
#include "mace/runtime/settings/config.h"

namespace mace {

// Not thread-safe, but for the workspace.
class EngineMemory {
 public:
  // Chooses the memory that `config` asks for. With `query_only`, plans are
  // made and their bytes counted, but they have no memory to run in. Errors:
  // MACE_INVALID_ARGS if `config` has an arena and shares memory.
  Status Choose(const MaceEngineConfig::Impl& config, bool query_only);

  // Whether plans are only made, not run.
  bool is_query() const { return query_only_; }
  // Whether the arena is the caller's.
  bool has_callers_arena() const { return arena_ != nullptr; }
  size_t callers_arena_bytes() const { return arena_bytes_; }

  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  // The sections of the caller's arena. If the engine allocates its own arena,
  // or for a query, these count what a caller's arena would hold.
  const std::shared_ptr<memory::ArenaSections>& sections() const {
    return sections_;
  }
  // Replaces the sections by others, and returns the former ones.
  std::shared_ptr<memory::ArenaSections> ExchangeSections(
      std::shared_ptr<memory::ArenaSections> sections);
  // Makes the head of the sections large enough for a plan. Errors:
  // MACE_OUT_OF_RESOURCES.
  Status Reserve(const Plan& plan);

  // Other engines may use the workspace, too: take a lease of it only after the
  // lock of the engine.
  Workspace& workspace() const { return *workspace_; }
  // The workspace, for other engines. Null if the arena is the caller's.
  std::shared_ptr<Workspace> shareable() const {
    return has_callers_arena() ? nullptr : workspace_;
  }
  // Frees all memory of the workspace now, or before its next lease if it is in
  // use. Engines that share it allocate again what they need.
  void ReleaseSoon();

  // Gives an executor the memory for its next Run, unless it has it already.
  // Each REQUIRES: the caller holds a lease of the workspace. Errors:
  // MACE_OUT_OF_RESOURCES; those of a driver.
  Status ProvideArena(Executor& executor) const;
  Status ProvideImages(Executor& executor) const;

 private:
  bool query_only_ = false;
  void* arena_ = nullptr;  // the caller's; null: the workspace has one
  size_t arena_bytes_ = 0;
  std::shared_ptr<MemoryBudget> budget_;
  std::shared_ptr<memory::ArenaSections> sections_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_MEMORY_ENGINE_MEMORY_H_
