// Finding plans by the shapes of inputs, and making those that are missing.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/planning/plan_cache.h"

#include <utility>

#include "mace/base/clock.h"
#include "mace/base/make_shared.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

// The largest extent that is tried for open dimensions of a model that does not
// limit them, until there is a run that says what it wants.
constexpr int64_t kMaxFirstExtent = 1024;

}  // namespace

Status PlanCache::PlanFirst(const OpenShapes& open, Graph* graph) {
  Status first;
  for (int64_t extent = 1; extent <= kMaxFirstExtent; extent *= 2) {
    const std::vector<Shape> shapes = open.WithExtent(*graph, extent);
    const Status planned = Use(*graph, shapes);
    if (planned.ok()) {
      for (size_t i = 0; i < shapes.size(); ++i) {
        graph->values[graph->inputs[i]].type.shape = shapes[i];
      }
      // What was decided for so small tensors is no example for others.
      if (!open.empty() && !open.is_bounded()) pattern_.reset();
      return planned;
    }
    if (extent == 1) first = planned;
    const bool may_be_too_small = planned == Status::MACE_INVALID_MODEL &&
                                  !open.empty() && !open.is_bounded();
    if (!may_be_too_small) return planned;
  }
  return first;
}

Status PlanCache::Use(const Graph& graph, const std::vector<Shape>& shapes) {
  std::string key;
  for (const Shape& shape : shapes) AppendToKey(shape, &key);
  if (executors_.Find(key) != nullptr) return Status();
  memory_.sections()->ForgetFailure();
  auto executor = Make(graph, shapes);
  // MACE_OUT_OF_RESOURCES may also come from memory outside of the arena.
  if (executor.status() == Status::MACE_OUT_OF_RESOURCES &&
      memory_.sections()->failed()) {
    return ArenaTooSmall(graph, shapes);
  }
  MACE_RETURN_IF_ERROR(executor.status());
  executors_.Add(std::move(key), std::move(*executor));
  return Status();
}

Status PlanCache::ArenaTooSmall(const Graph& graph,
                                const std::vector<Shape>& shapes) {
  const auto counting = MakeShared<memory::ArenaSections>(
      *memory_.sections(), memory::ArenaSections::kCount);
  auto sections = memory_.ExchangeSections(counting);
  const Status made = Make(graph, shapes).status();
  memory_.ExchangeSections(std::move(sections));
  MACE_RETURN_IF_ERROR(made);
  return OutOfResources("the arena given has ", memory_.callers_arena_bytes(),
                        " bytes, but these shapes need ",
                        counting->needed_bytes());
}

Result<std::unique_ptr<Executor>> PlanCache::Make(
    const Graph& graph, const std::vector<Shape>& shapes) {
  const memory::ScopedArenaSections scope(memory_.sections());
  const int64_t begin = NowMicros();
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                        planner_.PlanModel(graph, shapes, pattern_));
  const Plan& plan = executor->plan();
  if (!states_.empty()) MACE_RETURN_IF_ERROR(states_.CheckTypes(plan.graph));
  LogPlan(plan, NowMicros() - begin);
  if (pattern_ == nullptr) pattern_ = plan.pattern;
  MACE_RETURN_IF_ERROR(memory_.Reserve(plan));
  if (!memory_.is_query()) {
    const Workspace::Lease lease(memory_.workspace());
    MACE_RETURN_IF_ERROR(lease.status());
    MACE_RETURN_IF_ERROR(memory_.ProvideArena(*executor));
  }
  return executor;
}

}  // namespace mace
