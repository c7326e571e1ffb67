// Plans the memory of values: from lifetimes to offsets.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/assign_memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/cpu_rows.h"
#include "mace/base/make_shared.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/strategy.h"
#include "mace/plan/memory/given_plan.h"
#include "mace/plan/memory/keep_pattern.h"
#include "mace/plan/memory/order.h"
#include "mace/plan/memory/records.h"
#include "mace/plan/stages/storage.h"

namespace mace {
namespace {

// Returns the lower bound of the kind of plan that the strategy makes.
int64_t BoundOf(const Plan& plan, const Storage& storage, bool overlap,
                const memory::Strategy& strategy) {
  const memory::Problem problem = MakeRecords(plan, storage, overlap).problem;
  return memory::HasObjects() && strategy.offsets == nullptr
             ? memory::ObjectsLowerBound(problem)
             : memory::OffsetsLowerBound(problem).bytes;
}

// Step i of the result is step order[i].
void Permute(const std::vector<int>& order, Plan& plan) {
  std::vector<Step> steps;
  for (const int s : order) steps.push_back(std::move(plan.steps[s]));
  plan.steps = std::move(steps);
}

// Removes the overlaps at steps whose tensors fit below the bound without
// overlapping: they save nothing, and in kernels with several threads, threads
// wait for each other if an output overlaps an input.
void DropIdleOverlaps(memory::Problem& problem) {
  const int64_t bound = memory::OffsetsLowerBound(problem).bytes;
  int64_t num_steps = 0;
  for (const memory::Record& r : problem.records) {
    num_steps = std::max(num_steps, r.last + 1);
  }
  std::vector<int64_t> live(static_cast<size_t>(num_steps) + 1);  // by step
  for (const memory::Record& r : problem.records) {
    const int64_t bytes = memory::AlignUp(r.size.count(), r.alignment);
    live[r.first] += bytes;
    live[r.last + 1] -= bytes;
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  for (memory::Record& output : problem.records) {
    if (live[output.first] <= bound) output.overlaps.clear();
  }
}

// Tries the savings one after the other, each on top of those before, and keeps
// those that do not raise the bound.
class Saver {
 public:
  Saver(Plan& plan, const memory::Strategy& strategy)
      : plan_(plan), strategy_(strategy) {
    best_ = Bound(none_);
    recorded_ = best_;
  }

  // Returns what was kept of `wanted`, and sets `*order` to the order of the
  // steps that it chose.
  MemorySavings Apply(const MemorySavings& wanted, std::vector<int>* order) {
    order->resize(plan_.steps.size());
    std::iota(order->begin(), order->end(), 0);
    if (wanted.order) TryOrder(wanted, order);
    Try("views", wanted.views, &MemorySavings::views);
    Try("in-place", wanted.in_place, &MemorySavings::in_place);
    Try("concat", wanted.concat, &MemorySavings::concat);
    Try("overlap", wanted.overlap, &MemorySavings::overlap);
    if (kHas8BitKernels && wanted.rows) TryRows();
    return none_;
  }

 private:
  int64_t Bound(const MemorySavings& savings) const {
    return BoundOf(plan_, AssignStorage(plan_, savings), savings.overlap,
                   strategy_);
  }

  void Try(const char* name, bool wanted, bool MemorySavings::* saving) {
    if (!wanted || !Cancellation::CheckPlan().ok()) return;
    MemorySavings savings = none_;
    savings.*saving = true;
    const int64_t bound = Bound(savings);
    // Views save a copy even if they save no bytes.
    if (bound > best_) return;
    none_ = savings;
    Record(name, bound);
  }

  // The order alone may raise the bound, for the other savings to bring down
  // again: these count for what lies below all that was recorded before.
  void Record(const char* name, int64_t bound) {
    best_ = bound;
    const int64_t after = std::min(recorded_, FinalBound(none_, best_));
    plan_.savings.push_back({name, recorded_, after});
    recorded_ = after;
  }

  // What becomes rows overlaps nothing, so that this is judged by what is left
  // in the end. Rows save a copy even if they save no bytes.
  void TryRows() {
    MemorySavings savings = none_;
    savings.rows = true;
    const int64_t bound = FinalBound(savings, Bound(savings));
    if (bound > recorded_) return;
    none_ = savings;
    plan_.savings.push_back({"rows", recorded_, bound});
    recorded_ = bound;
  }

  // Overlaps that save nothing are taken away in the end. The bound of what is
  // left may be higher, as it counts alignment where nothing overlaps.
  int64_t FinalBound(const MemorySavings& savings, int64_t bound) const {
    if (!savings.overlap) return bound;
    const Storage storage = AssignStorage(plan_, savings);
    memory::Problem problem = MakeRecords(plan_, storage, true).problem;
    DropIdleOverlaps(problem);
    return memory::OffsetsLowerBound(problem).bytes;
  }

  void TryOrder(const MemorySavings& wanted, std::vector<int>* chosen) {
    // Judges the order with all other savings on, as they will be used.
    MemorySavings all = wanted;
    const int64_t before = Bound(all);
    OrderAnswer answer = FindOrder(plan_);
    plan_.order_search = answer.search;
    if (answer.search.peak_after == answer.search.peak_before) return;
    const std::vector<int> order = std::move(answer.order);
    Permute(order, plan_);
    const int64_t after = Bound(all);
    if (after < before) {
      Record("order", Bound(none_));
      *chosen = order;
      return;
    }
    // Returns to the order of the model.
    std::vector<int> inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      inverse[order[i]] = static_cast<int>(i);
    }
    Permute(inverse, plan_);
  }

  Plan& plan_;
  const memory::Strategy& strategy_;
  // The savings kept so far, the bound of the plan with them, and the least of
  // the bounds so far.
  MemorySavings none_{false, false, false, false, false, false};
  int64_t best_;
  int64_t recorded_;
};

// Keeps what steps compute to the end, for inspection.
void KeepToTheEnd(const Plan& plan, Records& records) {
  for (size_t r = 0; r < records.is_scratch.size(); ++r) {
    if (records.is_scratch[r]) continue;
    records.problem.records[r].last = static_cast<int64_t>(plan.steps.size());
  }
}

// Writes the offsets of records to the locations of values, and removes elided
// steps.
void Commit(Plan& plan, const Storage& storage, Records records) {
  plan.locations = storage.locations;
  plan.copies = storage.copies;
  for (size_t id = 0; id < plan.locations.size(); ++id) {
    if (plan.locations[id].kind != Location::kArena) continue;
    const int record = records.of_root[storage.root[id]];
    if (record >= 0)
      plan.locations[id].offset += plan.memory_plan.offsets[record];
  }
  // Steps get new indices, also in records.
  std::vector<Step> steps;
  std::vector<int> new_index(plan.steps.size() + 1);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    new_index[s] = static_cast<int>(steps.size());
    if (storage.elided[s]) continue;
    const int scratch = records.of_scratch[s];
    if (scratch >= 0) {
      plan.steps[s].scratch_offset = plan.memory_plan.offsets[scratch];
    }
    if (kHas8BitKernels) {
      const int first = plan.graph.nodes[plan.steps[s].node].outputs[0];
      plan.steps[s].kernel->set_row_stride(plan.locations[first].row_stride);
    }
    steps.push_back(std::move(plan.steps[s]));
  }
  new_index.back() = static_cast<int>(steps.size());
  plan.steps = std::move(steps);
  for (memory::Record& record : records.problem.records) {
    record.first = new_index[record.first];
    record.last = new_index[record.last];
  }
  plan.memory_problem = std::move(records.problem);
  plan.scratch_records = std::move(records.is_scratch);
  plan.arena_bytes = plan.memory_plan.certificate.total;
}

// Takes over the offsets of the offline or embedded plan, if it fits, and plans
// the rest.
Status SolveRecords(Plan& plan, const memory::Problem& records,
                    const memory::Strategy& strategy,
                    const PlanOptions& options) {
  memory::Problem problem = records;
  MACE_ASSIGN_OR_RETURN(const bool is_done,
                        UseGivenPlan(strategy, options, problem, plan));
  if (is_done) return Status();
  MACE_ASSIGN_OR_RETURN(plan.memory_plan,
                        memory::SolveInArena(problem, *strategy.arena()));
  return Status();
}

}  // namespace

Status AssignMemory(Plan& plan, const PlanOptions& options) {
  MACE_ASSIGN_OR_RETURN(const memory::Strategy strategy,
                        memory::FindStrategy(options.memory_strategy));
  MemorySavings wanted = options.savings;
  // To keep every tensor for inspection, none may be overwritten.
  if (strategy.preserves_all()) {
    wanted.in_place = wanted.overlap = wanted.rows = false;
  }
  wanted.overlap = wanted.overlap && strategy.arena()->takes_constraints;
  const MemoryPattern* like = options.like.get();
  auto pattern = MakeShared<MemoryPattern>();
  pattern->steps = HashOfSteps(plan);
  pattern->strategy = strategy.name;
  const bool is_like =
      like != nullptr && like->steps == pattern->steps &&
      like->strategy == strategy.name &&
      (like->order.empty() || like->order.size() == plan.steps.size());
  if (is_like) {
    pattern->order = like->order;
    pattern->savings = like->savings;
    Permute(like->order, plan);
  } else {
    pattern->savings = Saver(plan, strategy).Apply(wanted, &pattern->order);
  }
  MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
  const MemorySavings& kept = pattern->savings;

  const Storage storage = AssignStorage(plan, kept);
  Records records = MakeRecords(plan, storage, kept.overlap);
  DropIdleOverlaps(records.problem);
  if (strategy.preserves_all()) KeepToTheEnd(plan, records);
  plan.records_hash = memory::HashOf(records.problem);
  if (!is_like || !options.keeps_offsets ||
      !KeepOffsets(*like, records.problem, plan)) {
    MACE_RETURN_IF_ERROR(
        SolveRecords(plan, records.problem, strategy, options));
  }
  // A search that was cut short has not planned what it would have.
  MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
  KeepPattern(records.problem, std::move(pattern), plan);
  Commit(plan, storage, std::move(records));
  return Status();
}

}  // namespace mace
