// Finds the lifetimes of groups of values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/records.h"

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

class Builder {
 public:
  Builder(const Plan& plan, const Storage& storage)
      : plan_(plan), storage_(storage) {
    records_.of_root.assign(plan.graph.values.size(), -1);
    records_.of_scratch.assign(plan.steps.size(), -1);
  }

  Records Build(bool overlap) {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (!storage_.elided[s]) AddStep(static_cast<int>(s));
    }
    // Values that are copied to the caller live to the end.
    for (const Plan::Copy& copy : storage_.copies) {
      Touch(copy.value, static_cast<int>(plan_.steps.size()));
    }
    if (overlap) {
      for (size_t s = 0; s < plan_.steps.size(); ++s) {
        if (!storage_.elided[s]) AddOverlaps(static_cast<int>(s));
      }
    }
    return std::move(records_);
  }

 private:
  void AddStep(int s) {
    const Step& step = plan_.steps[s];
    const GraphNode& g = plan_.graph.nodes[step.node];
    for (int id : g.inputs) {
      if (id >= 0) Touch(id, s);
    }
    for (int id : g.outputs) Touch(id, s);
    if (step.kernel->scratch_bytes() > 0) {
      records_.of_scratch[s] = Add(StrCat(g.node.name, " (scratch)"),
                                   step.kernel->scratch_bytes(), s, true);
    }
  }

  void Touch(int id, int step) {
    if (storage_.locations[id].kind != Location::kArena) return;
    const int root = storage_.root[id];
    int& record = records_.of_root[root];
    if (record < 0) {
      record =
          Add(plan_.graph.values[root].name, storage_.bytes[root], step, false);
    }
    memory::Record& r = records_.problem.records[record];
    r.last = std::max<int64_t>(r.last, step);
  }

  int Add(const std::string& name, int64_t bytes, int step, bool is_scratch) {
    memory::Record record;
    record.name = name;
    record.size = bytes;
    record.first = step;
    record.last = step;
    record.alignment = kAlignment;
    records_.problem.records.push_back(std::move(record));
    records_.is_scratch.push_back(is_scratch);
    return static_cast<int>(records_.is_scratch.size()) - 1;
  }

  // Returns the record of a value that fills its group, or else -1.
  int WholeRecord(int id) const {
    if (id < 0 || storage_.locations[id].kind != Location::kArena) return -1;
    const int root = storage_.root[id];
    const bool whole =
        storage_.offset[id] == 0 &&
        storage_.bytes[root] == Bytes(plan_.graph.values[id].type);
    return whole ? records_.of_root[root] : -1;
  }

  void AddOverlaps(int s) {
    const Step& step = plan_.steps[s];
    const GraphNode& g = plan_.graph.nodes[step.node];
    SharedRoots roots(g.inputs, storage_.root);
    const int output = WholeRecord(g.outputs[0]);
    if (output < 0 || records_.problem.records[output].first != s) return;
    for (const Overlap& overlap : step.kernel->overlaps()) {
      // 0 is exactly in place, which is for TryInPlace of storage.cc: at
      // another address, a thread would overwrite what others read.
      if (overlap.safe_distance_bytes == 0) continue;
      const int id = g.inputs[overlap.input];
      const int input = WholeRecord(id);
      if (input < 0 || input == output ||
          records_.problem.records[input].last != s) {
        continue;
      }
      // The node must read it through one operand only; otherwise the order of
      // reading is unknown.
      if (roots.Count(storage_.root[id]) > 1) continue;
      records_.problem.records[output].overlaps.push_back(
          {input, overlap.safe_distance_bytes});
      return;  // at most one input: two distances would have to agree
    }
  }

  const Plan& plan_;
  const Storage& storage_;
  Records records_;
};

}  // namespace

Records MakeRecords(const Plan& plan, const Storage& storage, bool overlap) {
  return Builder(plan, storage).Build(overlap);
}

}  // namespace mace
