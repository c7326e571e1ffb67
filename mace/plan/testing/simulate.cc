// Running a plan on an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/testing/simulate.h"

namespace mace::testing {
namespace {

class Runner {
 public:
  Runner(const Plan& plan, const std::vector<Words>& apart)
      : plan_(plan),
        graph_(plan.graph),
        apart_(apart),
        arena_(static_cast<size_t>(plan.arena_bytes) / 4 + 1, 0xdeadbeef),
        constants_(graph_.values.size()) {
    for (int id : graph_.inputs) inputs_.push_back(apart[id]);
    for (int id : graph_.outputs) outputs_.emplace_back(apart[id].size());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (graph_.values[v].is_constant()) constants_[v] = apart[v];
    }
  }

  void Run() {
    for (const Step& step : plan_.steps) RunStep(step);
    for (const Plan::Copy& copy : plan_.copies) {
      const uint32_t* from = At(copy.value);
      ASSERT_NE(from, nullptr);
      std::copy_n(from, outputs_[copy.output].size(),
                  outputs_[copy.output].begin());
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      EXPECT_EQ(outputs_[i], apart_[graph_.outputs[i]]) << "output " << i;
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      EXPECT_EQ(inputs_[i], apart_[graph_.inputs[i]]) << "input " << i;
    }
    for (size_t v = 0; v < constants_.size(); ++v) {
      if (graph_.values[v].is_constant()) {
        EXPECT_EQ(constants_[v], apart_[v]) << "constant " << v;
      }
    }
  }

 private:
  // Null if the location does not hold the value.
  uint32_t* At(int id) {
    const Location& location = plan_.locations[id];
    Words* memory =
        location.kind == Location::kArena      ? &arena_
        : location.kind == Location::kInput    ? &inputs_[location.index]
        : location.kind == Location::kOutput   ? &outputs_[location.index]
        : location.kind == Location::kConstant ? &constants_[location.index]
                                               : nullptr;
    const auto end = static_cast<size_t>(location.offset + BytesTaken(id)) / 4;
    if (memory == nullptr || location.offset < 0 || end > memory->size()) {
      ADD_FAILURE() << "value " << id << " at " << location.offset << " of "
                    << static_cast<int>(location.kind) << " leaves its memory";
      return nullptr;
    }
    return memory->data() + location.offset / 4;
  }

  // Bytes from a value's first one to behind its last one.
  int64_t BytesTaken(int id) const {
    const TensorType& type = graph_.values[id].type;
    const int64_t bytes = Bytes(type), stride = plan_.locations[id].row_stride;
    if (stride == 0 || bytes == 0) return bytes;
    const int64_t row = type.shape.back() * 4;
    return (bytes / row - 1) * stride + row;
  }

  // Writes dense rows, or 0xdeadbeef if there are none, to where they belong.
  void Scatter(int id, const uint32_t* rows, uint32_t* to) const {
    const TensorType& type = graph_.values[id].type;
    const int64_t row = type.shape.back(), words = Bytes(type) / 4;
    const int64_t stride = plan_.locations[id].row_stride / 4;
    for (int64_t i = 0; i < words; ++i) {
      to[i / row * stride + i % row] = rows == nullptr ? 0xdeadbeef : rows[i];
    }
  }

  void RunStep(const Step& step) {
    const GraphNode& g = graph_.nodes[step.node];
    SimulatedNode node;
    node.node = &g.node;
    node.overlaps = step.kernel->overlaps();
    node.scratch_words = step.kernel->scratch_bytes() / 4;
    ASSERT_LE(step.scratch_offset + step.kernel->scratch_bytes(),
              std::max(plan_.arena_bytes, step.scratch_offset));
    node.scratch = arena_.data() + step.scratch_offset / 4;
    for (int id : g.inputs) {
      node.inputs.push_back(id < 0 ? nullptr : At(id));
      ASSERT_EQ(node.inputs.back() == nullptr, id < 0);
    }
    for (int id : g.outputs) {
      node.outputs.push_back(At(id));
      ASSERT_NE(node.outputs.back(), nullptr);
    }
    // Rows that are not dense must not overlap what the node reads.
    const int first = g.outputs[0];
    const bool in_rows = plan_.locations[first].row_stride != 0;
    ASSERT_EQ(step.kernel->row_stride(), plan_.locations[first].row_stride);
    uint32_t* const rows = node.outputs[0];
    Words dense(apart_[first].size());
    if (in_rows) {
      ASSERT_TRUE(step.kernel->writes_rows());
      Scatter(first, nullptr, rows);
      node.outputs[0] = dense.data();
    }
    for (int id : g.inputs) {
      ASSERT_TRUE(id < 0 || plan_.locations[id].row_stride == 0);
    }
    node.Run();
    if (in_rows) Scatter(first, dense.data(), rows);
    for (size_t k = 0; k < g.outputs.size(); ++k) {
      const Words& want = apart_[g.outputs[k]];
      ASSERT_TRUE(std::equal(want.begin(), want.end(), node.outputs[k]))
          << Label(g.node) << ": output " << k;
    }
  }

  const Plan& plan_;
  const Graph& graph_;
  const std::vector<Words>& apart_;
  Words arena_;
  std::vector<Words> inputs_, outputs_, constants_;
};

}  // namespace

void RunPlaced(const Plan& plan, const std::vector<Words>& apart) {
  Runner(plan, apart).Run();
}

}  // namespace mace::testing
