// Which values become fp16, and where they are converted.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/narrow_to_fp16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace {
namespace {

// A graph whose nodes have one output each.
class Builder {
 public:
  int Input(int64_t elements, DataType dtype = DataType::kF32) {
    graph.inputs.push_back(AddValue(elements, dtype));
    return graph.inputs.back();
  }
  int Add(const char* op, const std::vector<int>& inputs, int64_t elements,
          DataType stored = DataType::kInvalid,
          DataType dtype = DataType::kF32) {
    GraphNode g;
    g.node.op = op;
    g.inputs = inputs;
    for (int id : inputs) g.node.inputs.push_back({graph.values[id].type});
    if (stored != DataType::kInvalid) {
      Operand weight = {{DataType::kF32, {1}}};
      weight.stored = stored;
      g.inputs.push_back(Weight());
      g.node.inputs.push_back(weight);
    }
    g.outputs = {AddValue(elements, dtype)};
    g.node.outputs = {graph.values[g.outputs[0]].type};
    graph.nodes.push_back(g);
    return g.outputs[0];
  }

  // Returns ops and the types that they write: "Cast:f16 Conv:f16 ...".
  std::string Narrowed() {
    NarrowToFp16(
        [](const Node& node) {
          return node.op != "Float" && node.op != "Cast";
        },
        graph);
    std::string ops;
    for (const GraphNode& g : graph.nodes) {
      EXPECT_EQ(g.node.outputs[0], graph.values[g.outputs[0]].type);
      ops += (ops.empty() ? "" : " ") + g.node.op + ":" +
             Name(g.node.outputs[0].dtype);
    }
    CheckOrder();
    return ops;
  }

  Graph graph;

 private:
  int AddValue(int64_t elements, DataType dtype = DataType::kF32) {
    Value value;
    value.type = {dtype, {elements}};
    graph.values.push_back(value);
    return static_cast<int>(graph.values.size()) - 1;
  }
  int Weight() {
    static const float one = 1;
    const int id = AddValue(1);
    graph.values[id].data = &one;
    return id;
  }
  void CheckOrder() const {
    std::set<int> made(graph.inputs.begin(), graph.inputs.end());
    for (const GraphNode& g : graph.nodes) {
      for (size_t i = 0; i < g.inputs.size(); ++i) {
        const Value& value = graph.values[g.inputs[i]];
        EXPECT_TRUE(value.is_constant() || made.count(g.inputs[i]) > 0);
        EXPECT_EQ(value.type, g.node.inputs[i].type);
      }
      made.insert(g.outputs[0]);
    }
    for (int id : graph.outputs) EXPECT_EQ(made.count(id), 1u);
  }
};

TEST(NarrowToFp16, FromTheFirstToTheLast) {
  Builder b;
  const int a = b.Add("Conv", {b.Input(8)}, 8, DataType::kF16);
  const int c = b.Add("Conv", {b.Add("Pool", {a}, 4)}, 4, DataType::kF16);
  b.graph.outputs = {b.Add("Float", {b.Add("Add", {c, c}, 4)}, 4)};
  EXPECT_EQ(b.Narrowed(),
            "Cast:f16 Conv:f16 Pool:f16 Conv:f16 Add:f16 Cast:f32 Float:f32");
}

TEST(NarrowToFp16, AValueIsConvertedOnce) {
  Builder b;
  const int a = b.Add("Conv", {b.Input(8)}, 8, DataType::kF16);
  const int x = b.Add("Float", {a}, 8), y = b.Add("Float", {a}, 8);
  b.graph.outputs = {b.Add("Conv", {x}, 8, DataType::kF16),
                     b.Add("Conv", {x}, 8, DataType::kF16), a, y};
  EXPECT_EQ(b.Narrowed(),
            "Cast:f16 Conv:f16 Cast:f32 Float:f32 Float:f32 Cast:f16 Conv:f16 "
            "Conv:f16 Cast:f32 Cast:f32");
}

TEST(NarrowToFp16, ConvertsTheSmallerTensor) {
  // A node that can use either type, next to a node of floats: if it shrinks
  // the tensor it takes fp16, if it grows it, floats.
  for (int64_t elements : {2, 32}) {
    Builder b;
    const int a = b.Add("Conv", {b.Input(8)}, 8, DataType::kF16);
    b.graph.outputs = {b.Add("Float", {b.Add("Resize", {a}, elements)}, 1)};
    EXPECT_EQ(b.Narrowed(),
              elements < 8 ? "Cast:f16 Conv:f16 Resize:f16 Cast:f32 Float:f32"
                           : "Cast:f16 Conv:f16 Cast:f32 Resize:f32 Float:f32");
  }
}

TEST(NarrowToFp16, CastsFromAndToFp16AreNotDoubled) {
  Builder b;
  const int x = b.Input(8, DataType::kF16);
  const int wide = b.Add("Cast", {x}, 8);
  const int a = b.Add("Conv", {wide}, 8, DataType::kF16);
  const int y = b.Add("Cast", {a}, 8, DataType::kInvalid, DataType::kF16);
  b.graph.outputs = {y, b.Add("Float", {wide}, 8)};
  EXPECT_EQ(b.Narrowed(), "Cast:f32 Conv:f16 Identity:f16 Float:f32");
  EXPECT_EQ(b.graph.nodes[1].inputs[0], x);
}

// Returns the number of converted elements if the nodes given by bits take
// fp16, or a huge number if they may not.
int64_t Converted(const Graph& graph, unsigned fp16) {
  const int64_t never = int64_t{1} << 40;
  std::vector<int> made_by(graph.values.size(), -1);
  std::vector<bool> read_as_fp16(graph.values.size());
  std::vector<bool> read_as_floats(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& g = graph.nodes[n];
    const bool is_fp16 = (fp16 >> n & 1) != 0;
    const bool has_weight = g.node.inputs.back().stored == DataType::kF16;
    if (is_fp16 ? g.node.op == "Float" : has_weight) return never;
    for (int id : g.inputs) {
      (is_fp16 ? read_as_fp16 : read_as_floats)[id] = true;
    }
    made_by[g.outputs[0]] = static_cast<int>(n);
  }
  for (int id : graph.outputs) read_as_floats[id] = true;
  int64_t elements = 0;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].is_constant()) continue;
    const bool is_fp16 = made_by[id] >= 0 && (fp16 >> made_by[id] & 1) != 0;
    if (is_fp16 ? read_as_floats[id] : read_as_fp16[id]) {
      elements += NumElements(graph.values[id].type.shape);
    }
  }
  return elements;
}

TEST(NarrowToFp16, TheFewestElementsOfAllChoices) {
  int narrowed = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    Builder b;
    std::vector<int> values = {b.Input(random.Between(1, 20))};
    bool any = false;
    for (int n = random.Between(1, 8); n > 0; --n) {
      const int kind = random.Below(4);
      any |= kind == 0;
      std::vector<int> inputs = {values.back()};
      if (random.OneIn(2)) inputs.push_back(random.Of(values));
      values.push_back(b.Add(kind == 1 ? "Float" : "Any", inputs,
                             random.Between(1, 20),
                             kind == 0 ? DataType::kF16 : DataType::kInvalid));
      if (random.OneIn(4)) b.graph.outputs.push_back(values.back());
    }
    b.graph.outputs.push_back(values.back());
    const Graph before = b.graph;
    int64_t least = int64_t{1} << 40;
    for (unsigned c = 0; c < 1u << before.nodes.size(); ++c) {
      least = std::min(least, Converted(before, c));
    }
    b.Narrowed();
    int64_t casts = 0;
    for (const GraphNode& g : b.graph.nodes) {
      if (g.node.op != "Cast") continue;
      casts += NumElements(g.node.outputs[0].shape);
      EXPECT_EQ(g.node.name,
                before
                    .values[g.inputs[0] < static_cast<int>(before.values.size())
                                ? g.inputs[0]
                                : g.outputs[0]]
                    .name);
      EXPECT_EQ(g.node.inputs[0].type, b.graph.values[g.inputs[0]].type);
    }
    EXPECT_EQ(casts, any ? least : 0);
    EXPECT_EQ(b.graph.outputs, before.outputs);
    narrowed += casts > 0;
  }
  EXPECT_GT(narrowed, 100);
}

TEST(NarrowToFp16, ThereAndBackIsTheSame) {
  Builder b;
  const int x = b.Input(8, DataType::kF16);
  const int wide = b.Add("Cast", {x}, 8);
  const int back = b.Add("Cast", {wide}, 8, DataType::kInvalid, DataType::kF16);
  b.graph.outputs = {back, b.Add("Conv", {wide}, 8, DataType::kF16)};
  EXPECT_EQ(b.Narrowed(), "Cast:f32 Identity:f16 Conv:f16 Cast:f32");
  EXPECT_EQ(b.graph.nodes[1].inputs[0], x);
}

TEST(NarrowToFp16, OnlyWhereWeightsAreStoredSo) {
  for (DataType stored : {DataType::kInvalid, DataType::kBF16}) {
    Builder b;
    const int a = b.Add("Conv", {b.Input(8)}, 8, stored);
    b.graph.outputs = {b.Add("Pool", {a}, 4)};
    EXPECT_EQ(b.Narrowed(), "Conv:f32 Pool:f32");
  }
}

}  // namespace
}  // namespace mace
