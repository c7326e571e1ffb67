// PlanCache: the plans of one engine by the shapes of its inputs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_PLANNING_PLAN_CACHE_H_
#define MACE_RUNTIME_PLANNING_PLAN_CACHE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/plan/types/memory_pattern.h"
#include "mace/runtime/executor/executor.h"
#include "mace/runtime/executor/executor_cache.h"
#include "mace/runtime/io/open_shapes.h"
#include "mace/runtime/io/states.h"
#include "mace/runtime/memory/engine_memory.h"
#include "mace/runtime/planning/planner.h"

namespace mace {

// How many plans an engine keeps, one for each set of input shapes.
constexpr size_t kMaxPlans = 8;

// A plan for a further set of shapes replaces the one whose latest use is the
// longest ago. Later plans follow the memory pattern of the first one where
// they can (of the second one, if open dimensions have no largest extents). Not
// thread-safe.
class PlanCache {
 public:
  // `states` are those of the model. All must outlive the cache.
  PlanCache(const States& states, Planner* planner, EngineMemory* memory)
      : states_(states), planner_(*planner), memory_(*memory) {}

  // Makes the plan before the first run, and gives the inputs of `graph` its
  // shapes. Of a model with open dimensions that have no largest extents, it is
  // for the smallest power of two, up to 1024, that the model takes for all of
  // them. Errors: as Use.
  Status PlanFirst(const OpenShapes& open, Graph* graph);

  // Makes the plan of `graph` for these shapes the latest one, and makes it
  // first if there is none. Errors: as Planner::PlanModel and
  // States::CheckTypes; MACE_CANCELLED; MACE_OUT_OF_RESOURCES, with the bytes
  // that these shapes need, if they do not fit into the caller's arena.
  Status Use(const Graph& graph, const std::vector<Shape>& shapes);

  // Returns the executor of the latest plan. REQUIRES: there is one.
  Executor& latest() const { return executors_.latest(); }

 private:
  // Makes the plan, reserves its bytes in the sections, and, unless the engine
  // is only a query, binds its arena.
  Result<std::unique_ptr<Executor>> Make(const Graph& graph,
                                         const std::vector<Shape>& shapes);
  // Returns the error that says how many bytes these shapes need. Plans once
  // more to find that out, in sections that only count.
  Status ArenaTooSmall(const Graph& graph, const std::vector<Shape>& shapes);

  const States& states_;
  Planner& planner_;
  EngineMemory& memory_;
  ExecutorCache executors_{kMaxPlans};
  // That later plans follow: of the first or second plan, as above.
  std::shared_ptr<const MemoryPattern> pattern_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_PLANNING_PLAN_CACHE_H_
