// Records out of lifetimes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/assign_memory.h"

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/memory/planners.h"

namespace mace {
namespace {

// A record per group in the arena, with the steps that touch it.
class RecordBuilder {
 public:
  RecordBuilder(Plan& plan, const std::vector<int>& root)
      : plan_(plan), root_(root), record_of_(root.size(), -1) {}

  void Build() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      const GraphNode& g = plan_.graph.nodes[step.node];
      for (int id : g.inputs) {
        if (id >= 0) Touch(id, static_cast<int>(s));
      }
      for (int id : g.outputs) Touch(id, static_cast<int>(s));
      if (step.kernel->scratch_bytes() > 0) {
        Add(g.node.name + " (scratch)", step.kernel->scratch_bytes(),
            static_cast<int>(s), {-1, static_cast<int>(s)});
      }
    }
    // What is copied to the caller lives to the end.
    for (const Plan::Copy& copy : plan_.copies) {
      if (copy.from.kind == Place::kArena) {
        Touch(copy.value, static_cast<int>(plan_.steps.size()));
      }
    }
  }

 private:
  void Touch(int id, int step) {
    const int root = root_[id];
    if (plan_.places[root].kind != Place::kArena) return;
    if (record_of_[root] < 0) {
      record_of_[root] = static_cast<int>(plan_.record_owners.size());
      const Value& value = plan_.graph.values[root];
      Add(value.name, Bytes(value.type), step, {root, step});
    }
    memory::Record& record = plan_.memory_problem.records[record_of_[root]];
    record.last = std::max<int64_t>(record.last, step);
  }

  void Add(const std::string& name, int64_t bytes, int step,
           RecordOwner owner) {
    memory::Record record;
    record.name = name;
    record.size = bytes;
    record.first = step;
    record.last = step;
    record.alignment = kAlignment;
    plan_.memory_problem.records.push_back(std::move(record));
    plan_.record_owners.push_back(owner);
  }

  Plan& plan_;
  const std::vector<int>& root_;
  std::vector<int> record_of_;  // by root
};

}  // namespace

Status CheckMemoryStrategy(const std::string& strategy) {
  const auto is_offsets = [](const std::string& name) {
    return name.rfind("offsets/", 0) == 0;
  };
  if (strategy == "PRESERVE_ALL" ||
      (is_offsets(strategy) && memory::FindPlanner(strategy) != nullptr)) {
    return Status();
  }
  std::string names = "PRESERVE_ALL";
  for (const memory::Planner& planner : memory::Planners()) {
    if (is_offsets(planner.name)) names += ", " + std::string(planner.name);
  }
  return InvalidArgument("there is no memory strategy '" + strategy +
                         "'; choose one of " + names);
}

Status AssignMemory(Plan& plan, const std::vector<int>& root,
                    const std::string& strategy) {
  RecordBuilder(plan, root).Build();
  MACE_ASSIGN_OR_RETURN(
      plan.memory_plan,
      memory::Solve(plan.memory_problem,
                    strategy == "PRESERVE_ALL" ? "offsets/NAIVE" : strategy));
  for (size_t r = 0; r < plan.record_owners.size(); ++r) {
    const RecordOwner& owner = plan.record_owners[r];
    const int64_t offset = plan.memory_plan.offsets[r];
    if (owner.value >= 0) {
      plan.places[owner.value].offset = offset;
    } else {
      plan.steps[owner.step].scratch_offset = offset;
    }
  }
  for (size_t id = 0; id < root.size(); ++id) {
    if (plan.places[id].kind == Place::kArena) {
      plan.places[id].offset = plan.places[root[id]].offset;
    }
  }
  for (Plan::Copy& copy : plan.copies) copy.from = plan.places[copy.value];
  plan.arena_bytes = plan.memory_plan.certificate.total;
  return Status();
}

}  // namespace mace
