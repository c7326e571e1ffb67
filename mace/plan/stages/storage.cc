// Groups values by the bytes that they share.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/storage.h"

#include <algorithm>
#include <numeric>

#include "mace/base/cpu_rows.h"
#include "mace/base/search.h"
#include "mace/base/sort.h"
#include "mace/ops/common/op.h"

namespace mace {
namespace {

class Grouper {
 public:
  Grouper(const Plan& plan, const MemorySavings& savings)
      : plan_(plan), graph_(plan.graph), savings_(savings) {}

  Storage Group() {
    Start();
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (TouchesImages(s)) {
        if (plan_.steps[s].kernel->renames_only()) Rename(s);
        continue;
      }
      if (savings_.views && TryViews(s)) continue;
      if (savings_.concat && TryConcat(s)) continue;
      if (kHas8BitKernels && savings_.rows && TryRows(s)) continue;
      if (savings_.in_place) TryInPlace(s);
    }
    LocateGroups();
    return std::move(storage_);
  }

 private:
  const GraphNode& NodeOf(size_t step) const {
    return graph_.nodes[plan_.steps[step].node];
  }

  bool TouchesImages(size_t step) const {
    const GraphNode& g = NodeOf(step);
    const auto is_image = [&](int id) {
      return id >= 0 && graph_.values[id].type.layout == Layout::kImage;
    };
    return is_image(g.outputs[0]) || AnyOf(g.inputs, is_image);
  }

  void Rename(size_t s) {
    Merge(NodeOf(s).outputs[0], NodeOf(s).inputs[0], 0);
    storage_.elided[s] = true;
  }

  void Start() {
    const size_t n = graph_.values.size();
    storage_.root.resize(n);
    std::iota(storage_.root.begin(), storage_.root.end(), 0);
    storage_.offset.assign(n, 0);
    storage_.bytes.resize(n);
    storage_.elided.assign(plan_.steps.size(), false);
    foreign_.resize(n);
    is_output_.resize(n);
    group_use_.assign(n, -1);
    members_.resize(n);
    for (size_t v = 0; v < n; ++v) {
      members_[v] = {static_cast<int>(v)};
      const Value& value = graph_.values[v];
      storage_.bytes[v] =
          value.type.dtype == DataType::kInvalid ? 0 : Bytes(value.type);
      foreign_[v] = value.is_constant();
    }
    for (int id : graph_.inputs) foreign_[id] = true;
    for (int id : graph_.outputs) is_output_[id] = true;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (int id : NodeOf(s).inputs) {
        if (id >= 0) group_use_[id] = static_cast<int>(s);
      }
    }
    holds_output_ = is_output_;
    if (kHas8BitKernels) StartRows();
  }

  // For TryRows. Kernels of quantized tensors are those that write rows.
  void StartRows() {
    const size_t n = graph_.values.size();
    storage_.stride.assign(n, 0);
    num_reads_.assign(n, 0);
    writer_.assign(n, -1);
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (int id : NodeOf(s).inputs) {
        if (id >= 0) ++num_reads_[id];
      }
      writer_[NodeOf(s).outputs[0]] = static_cast<int>(s);
    }
  }

  // Returns whether a value fills its group, which is neither a constant nor
  // the caller's input.
  bool OwnsItsBytes(int id) const {
    const int root = storage_.root[id];
    return !foreign_[root] && storage_.offset[id] == 0 &&
           storage_.bytes[root] == Bytes(graph_.values[id].type);
  }

  // Moves the group of `root` into the group of `into`, at `offset` bytes from
  // it.
  void Merge(int root, int into, int64_t offset) {
    const int new_root = storage_.root[into];
    offset += storage_.offset[into];
    for (int id : members_[root]) {
      storage_.root[id] = new_root;
      storage_.offset[id] += offset;
      members_[new_root].push_back(id);
    }
    members_[root].clear();
    holds_output_[new_root] |= holds_output_[root];
    group_use_[new_root] = std::max(group_use_[new_root], group_use_[root]);
  }

  bool TryViews(size_t s) {
    const GraphNode& g = NodeOf(s);
    const int input = g.inputs.empty() ? -1 : g.inputs[0];
    if (input < 0) return false;
    const std::vector<int64_t> offsets = ViewOffsets(g.node);
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      if (offsets[i] < 0) return false;
      // A part of a larger value cannot be the caller's output.
      const int64_t bytes = Bytes(graph_.values[g.outputs[i]].type);
      if (is_output_[g.outputs[i]] &&
          (storage_.offset[input] + offsets[i] != 0 ||
           bytes != storage_.bytes[storage_.root[input]])) {
        return false;
      }
    }
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      Merge(g.outputs[i], input, offsets[i]);
    }
    storage_.elided[s] = true;
    return true;
  }

  bool TryConcat(size_t s) {
    const GraphNode& g = NodeOf(s);
    if (g.node.op != "Concat") return false;
    const Shape& out = g.node.outputs[0].shape;
    std::vector<int> roots;
    for (int id : g.inputs) {
      if (id < 0 || !OwnsItsBytes(id)) return false;
      const int root = storage_.root[id];
      // Each Concat of a chain moves all members of those before it.
      constexpr size_t kMaxMembers = 4096;
      if (holds_output_[root] || members_[root].size() > kMaxMembers) {
        return false;
      }
      roots.push_back(root);
      // All extents before the axis of concatenation must be 1.
      const Shape& in = graph_.values[id].type.shape;
      for (size_t d = 0; d < out.size() && in[d] == out[d]; ++d) {
        if (out[d] != 1) return false;
      }
    }
    std::vector<int> sorted = roots;
    StableSort(&sorted);
    if (roots.size() < 2 ||
        std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      return false;
    }
    int64_t offset = 0;
    for (size_t i = 0; i < roots.size(); ++i) {
      Merge(roots[i], g.outputs[0], offset);
      offset += Bytes(graph_.values[g.inputs[i]].type);
    }
    storage_.elided[s] = true;
    return true;
  }

  // Returns whether the rows of a value can be parts of those of another, `of`.
  bool CanBeRows(int id, const TensorType& of) const {
    if (id < 0 || writer_[id] < 0 || num_reads_[id] != 1 || is_output_[id] ||
        !OwnsItsBytes(id) || members_[storage_.root[id]].size() != 1 ||
        !plan_.steps[writer_[id]].kernel->writes_rows()) {
      return false;
    }
    TensorType type = graph_.values[id].type;
    if (type.shape.size() != of.shape.size() ||
        !std::equal(of.shape.begin(), of.shape.end() - 1, type.shape.begin())) {
      return false;
    }
    type.shape = of.shape;
    return type == of;
  }

  bool TryRows(size_t s) {
    const GraphNode& g = NodeOf(s);
    const TensorType& out = g.node.outputs[0];
    if (g.node.op != "Concat" || g.inputs.size() < 2 || out.shape.empty() ||
        !AllOf(g.inputs, [&](int id) { return CanBeRows(id, out); })) {
      return false;
    }
    int64_t elements = 0;  // of a row
    for (const int id : g.inputs) {
      elements += graph_.values[id].type.shape.back();
    }
    if (elements != out.shape.back()) return false;  // of another axis
    const auto size = static_cast<int64_t>(SizeOf(out.dtype));
    int64_t offset = 0;
    for (const int id : g.inputs) {
      Merge(id, g.outputs[0], offset);
      storage_.stride[id] = elements * size;
      offset += graph_.values[id].type.shape.back() * size;
    }
    storage_.elided[s] = true;
    return true;
  }

  void TryInPlace(size_t s) {
    const GraphNode& g = NodeOf(s);
    const int output = g.outputs[0];
    SharedRoots roots(g.inputs, storage_.root);
    for (const Overlap& overlap : plan_.steps[s].kernel->overlaps()) {
      const int input = g.inputs[overlap.input];
      if (overlap.safe_distance_bytes > 0 || input < 0) continue;
      if (!OwnsItsBytes(input) || !OwnsItsBytes(output) ||
          storage_.root[input] == storage_.root[output] ||
          Bytes(graph_.values[input].type) !=
              Bytes(graph_.values[output].type)) {
        continue;
      }
      const int root = storage_.root[input];
      const bool dies =
          !holds_output_[root] && group_use_[root] <= static_cast<int>(s);
      // Another input of this step may be a view of the same bytes.
      if (!dies || roots.Count(root) > 1) continue;
      Merge(output, input, 0);
      return;
    }
  }

  void LocateGroups() {
    const size_t n = graph_.values.size();
    std::vector<Location> by_root(n);
    for (size_t v = 0; v < n; ++v) {
      if (graph_.values[v].is_constant()) {
        by_root[v] = {Location::kConstant, static_cast<int>(v), 0};
      }
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      by_root[graph_.inputs[i]] = {Location::kInput, static_cast<int>(i), 0};
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const int value = graph_.outputs[i];
      Location& location = by_root[storage_.root[value]];
      if (location.kind == Location::kUnused && OwnsItsBytes(value)) {
        location = {Location::kOutput, static_cast<int>(i), 0};
      } else {
        storage_.copies.push_back({value, static_cast<int>(i)});
      }
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (int id : NodeOf(s).outputs) {
        const int root = storage_.root[id];
        if (by_root[root].kind != Location::kUnused) continue;
        const bool is_image = graph_.values[root].type.layout == Layout::kImage;
        by_root[root] = is_image ? Location{Location::kImage, root, 0}
                                 : Location{Location::kArena, -1, 0};
      }
    }
    storage_.locations.resize(n);
    for (size_t v = 0; v < n; ++v) {
      storage_.locations[v] = by_root[storage_.root[v]];
      storage_.locations[v].offset = storage_.offset[v];
      if (kHas8BitKernels)
        storage_.locations[v].row_stride = storage_.stride[v];
    }
  }

  const Plan& plan_;
  const Graph& graph_;
  const MemorySavings& savings_;
  Storage storage_;
  std::vector<uint8_t> foreign_;       // by value: a constant or a graph input
  std::vector<uint8_t> is_output_;     // by value: a graph output
  std::vector<uint8_t> holds_output_;  // by root: whether a member is one
  std::vector<int> group_use_;  // by root: the last step that reads a member
  std::vector<int> num_reads_;  // by value: operands of steps that read it
  std::vector<int> writer_;     // by value: whose first output it is
  std::vector<std::vector<int>> members_;  // by root: the values of its group
};

}  // namespace

Storage AssignStorage(const Plan& plan, const MemorySavings& savings) {
  return Grouper(plan, savings).Group();
}

}  // namespace mace
