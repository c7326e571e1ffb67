// From lifetimes to offsets.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/assign_memory.h"

#include <algorithm>
#include <utility>

#include "mace/base/logging.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/plan/order.h"
#include "mace/plan/records.h"
#include "mace/plan/storage.h"

namespace mace {
namespace {

constexpr char kOffsets[] = "offsets/";

// Null if there is no such strategy of offsets.
const memory::Planner* PlannerOf(const std::string& strategy) {
  if (strategy == kPreserveAll) return memory::FindPlanner("offsets/NAIVE");
  const bool whole = strategy.rfind(kOffsets, 0) == 0;
  return memory::FindPlanner(whole ? strategy : kOffsets + strategy);
}

int64_t BoundOf(const Plan& plan, const Storage& storage, bool overlap) {
  return memory::OffsetsLowerBound(MakeRecords(plan, storage, overlap).problem)
      .bytes;
}

// Tries the savings one after the other on top of those before, and keeps what
// does not raise the bound.
class Saver {
 public:
  explicit Saver(Plan& plan) : plan_(plan) { best_ = Bound(none_); }

  MemorySavings Apply(const MemorySavings& wanted) {
    if (wanted.order) TryOrder(wanted);
    Try("views", wanted.views, &MemorySavings::views);
    Try("in-place", wanted.in_place, &MemorySavings::in_place);
    Try("concat", wanted.concat, &MemorySavings::concat);
    Try("overlap", wanted.overlap, &MemorySavings::overlap);
    return none_;
  }

 private:
  int64_t Bound(const MemorySavings& savings) const {
    return BoundOf(plan_, AssignStorage(plan_, savings), savings.overlap);
  }

  void Try(const char* name, bool wanted, bool MemorySavings::* saving) {
    if (!wanted) return;
    MemorySavings savings = none_;
    savings.*saving = true;
    const int64_t bound = Bound(savings);
    // Views spare a copy even where they spare no bytes.
    if (bound > best_) return;
    none_ = savings;
    plan_.savings.push_back({name, best_, bound});
    best_ = bound;
  }

  void TryOrder(const MemorySavings& wanted) {
    // Judged with the other savings in place: they are what will run.
    MemorySavings all = wanted;
    const int64_t before = Bound(all);
    OrderAnswer answer =
        SearchOrder(MakeOrderProblem(plan_.graph, plan_.steps), kOrderBudget);
    plan_.order_search = answer.search;
    if (answer.search.peak_after == answer.search.peak_before) return;
    const std::vector<int> order = std::move(answer.order);
    std::vector<Step> steps = std::move(plan_.steps);
    const auto permute = [&](const std::vector<int>& from) {
      std::vector<Step> permuted;
      for (int s : from) permuted.push_back(std::move(steps[s]));
      plan_.steps = std::move(permuted);
    };
    permute(order);
    const int64_t after = Bound(all);
    if (after < before) {
      const int64_t bound = Bound(none_);
      plan_.savings.push_back({"order", best_, std::min(best_, bound)});
      best_ = bound;
      return;
    }
    // Back to the order of the model.
    steps = std::move(plan_.steps);
    std::vector<int> inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      inverse[order[i]] = static_cast<int>(i);
    }
    permute(inverse);
  }

  Plan& plan_;
  MemorySavings none_{false, false, false, false, false};  // kept so far
  int64_t best_;
};

// Offsets of records to places of values; elided steps go.
// Takes away the overlaps at steps whose tensors fit below the bound side by
// side: they save nothing, and kernels on several threads wait for each other
// where an output lies over an input.
void DropIdleOverlaps(memory::Problem& problem) {
  const int64_t bound = memory::OffsetsLowerBound(problem).bytes;
  for (memory::Record& output : problem.records) {
    if (output.overlaps.empty()) continue;
    int64_t live = 0;
    for (const memory::Record& r : problem.records) {
      if (r.first <= output.first && output.first <= r.last) {
        live += memory::AlignUp(r.size.count(), r.alignment);
      }
    }
    if (live <= bound) output.overlaps.clear();
  }
}

void Commit(Plan& plan, const Storage& storage, Records records) {
  plan.places = storage.places;
  plan.copies = storage.copies;
  for (size_t id = 0; id < plan.places.size(); ++id) {
    if (plan.places[id].kind != Place::kArena) continue;
    const int record = records.of_root[storage.root[id]];
    if (record >= 0) plan.places[id].offset += plan.memory_plan.offsets[record];
  }
  // Steps are counted again; records keep pointing at them.
  std::vector<Step> steps;
  std::vector<int> new_index(plan.steps.size() + 1);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    new_index[s] = static_cast<int>(steps.size());
    if (storage.elided[s]) continue;
    const int scratch = records.of_scratch[s];
    if (scratch >= 0) {
      plan.steps[s].scratch_offset = plan.memory_plan.offsets[scratch];
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

// Takes over what the embedded plan says, if it fits; plans the rest.
Status SolveRecords(Plan& plan, const memory::Problem& records,
                    const char* planner, const PlanOptions& options) {
  memory::Problem problem = records;
  const memory::EmbeddedPlan& embedded = options.embedded_plan;
  if (embedded.hash != 0) {
    const bool partial =
        embedded.hash == plan.records_hash &&
        embedded.offsets.size() == problem.records.size() &&
        std::count(embedded.offsets.begin(), embedded.offsets.end(), -1) > 0;
    if (partial) {
      for (size_t r = 0; r < problem.records.size(); ++r) {
        problem.records[r].fixed_offset = embedded.offsets[r];
      }
    } else {
      auto verified = memory::VerifyEmbeddedPlan(problem, embedded);
      if (verified.ok()) {
        plan.memory_plan = std::move(*verified);
        plan.used_embedded_plan = true;
        return Status();
      }
      LOG(INFO) << "the memory plan of the model file is not used: "
                << verified.status().information();
    }
  }
  MACE_ASSIGN_OR_RETURN(plan.memory_plan, memory::Solve(problem, planner));
  return Status();
}

}  // namespace

Status CheckMemoryStrategy(const std::string& strategy) {
  if (PlannerOf(strategy) != nullptr) return Status();
  std::string names = "PRESERVE_ALL";
  for (const memory::Planner& planner : memory::Planners()) {
    const std::string name = planner.name;
    if (name.rfind(kOffsets, 0) == 0) {
      names += ", " + name.substr(sizeof(kOffsets) - 1);
    }
  }
  return InvalidArgument("there is no memory strategy '" + strategy +
                         "'; choose one of " + names);
}

Status AssignMemory(Plan& plan, const PlanOptions& options) {
  const std::string& strategy = options.memory_strategy;
  const bool preserve_all = strategy == kPreserveAll;
  const memory::Planner* planner = PlannerOf(strategy);
  if (planner == nullptr) return CheckMemoryStrategy(strategy);
  MemorySavings wanted = options.savings;
  // To look at every tensor none may be overwritten.
  if (preserve_all) wanted.in_place = wanted.overlap = false;
  wanted.overlap = wanted.overlap && planner->takes_constraints;
  const MemorySavings kept = Saver(plan).Apply(wanted);

  const Storage storage = AssignStorage(plan, kept);
  Records records = MakeRecords(plan, storage, kept.overlap);
  DropIdleOverlaps(records.problem);
  plan.records_hash = memory::HashOf(records.problem);
  MACE_RETURN_IF_ERROR(
      SolveRecords(plan, records.problem, planner->name, options));
  Commit(plan, storage, std::move(records));
  return Status();
}

}  // namespace mace
