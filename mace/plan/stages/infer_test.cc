// InferGraph: types, which nodes are folded, and errors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/infer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "mace/plan/passes/remove_dead_nodes.h"
#include "mace/plan/testing/fake_device.h"

namespace mace {
namespace {

using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;
using testing::Random;

// Makes kernels that fill output k with bytes of value 1 + k, and records the
// nodes.
struct Folder {
  Folder() {
    device.prepare = [this](const Node& node) -> Result<KernelProperties> {
      if (node.name == refused) return Unsupported("not that one");
      if (node.name == broken) return OutOfResources("full");
      prepared.push_back(node.name);
      KernelProperties properties;
      properties.macs = macs;
      properties.scratch_bytes = 100;
      const std::vector<TensorType> types = node.outputs;
      properties.run = [this, types](const RunArgs& args) {
        if (fails) return RuntimeError("no luck");
        EXPECT_NE(args.scratch.handle, nullptr);
        for (size_t k = 0; k < types.size(); ++k) {
          std::memset(args.outputs[k].handle, static_cast<int>(1 + k),
                      static_cast<size_t>(Bytes(types[k])));
        }
        inputs = args.inputs;
        return Status();
      };
      return properties;
    };
  }
  Status Infer(Graph& graph) { return InferGraph(graph, device); }

  FakeDevice device{"CPU"};
  std::string refused, broken;
  int64_t macs = 0;
  bool fails = false;
  std::vector<std::string> prepared;
  std::vector<Buffer> inputs;  // from the last node that ran
};

// The types of outputs are unknown before.
Graph& Untyped(PlanMaker& maker) {
  Graph& graph = maker.plan.graph;
  for (GraphNode& g : graph.nodes) {
    g.node.inputs.clear();
    for (TensorType& type : g.node.outputs) type = TensorType();
    for (int id : g.outputs) graph.values[id].type = TensorType();
  }
  return graph;
}

std::string Nodes(const Graph& graph) {
  std::string names;
  for (const GraphNode& g : graph.nodes) {
    names += (names.empty() ? "" : " ") + g.node.name;
  }
  return names;
}

AttrMap Type(const char* type) { return {{"type", std::string(type)}}; }

TEST(InferGraph, GivesEveryValueAType) {
  PlanMaker maker;
  const int x = maker.Input({2, 3});
  const int w = maker.Constant({3});
  const int y = maker.AddOne("Eltwise", {x, w}, {}, {}, Type("SUM"));
  const int z = maker.AddOne("Reshape", {y}, {}, {},
                             {{"dim", std::vector<int64_t>{6, 1}}});
  maker.Output(z);
  Graph& graph = Untyped(maker);
  graph.values[w].weight_id = 7;
  Folder folder;
  ASSERT_TRUE(folder.Infer(graph).ok());
  EXPECT_EQ(graph.values[y].type, (TensorType{DataType::kF32, {2, 3}}));
  EXPECT_EQ(graph.values[z].type, (TensorType{DataType::kF32, {6, 1}}));
  EXPECT_EQ(Nodes(graph), "n0 n1");
  EXPECT_TRUE(folder.prepared.empty());
  const Node& node = graph.nodes[0].node;
  EXPECT_EQ(node.inputs[0].type, graph.values[x].type);
  EXPECT_EQ(node.inputs[0].data, nullptr);
  EXPECT_EQ(node.inputs[1].data, graph.values[w].data);
  EXPECT_EQ(node.inputs[1].weight_id, 7);
  EXPECT_EQ(node.outputs[0], graph.values[y].type);
}

TEST(InferGraph, ComputesWhatIsKnown) {
  PlanMaker maker;
  const int w = maker.Constant({3}), v = maker.Constant({3});
  const int a = maker.AddOne("Eltwise", {w, v}, {}, {}, Type("SUM"));
  const std::vector<int> parts = maker.Add(
      "Split", {a}, {{}, {}}, {}, {{"sizes", std::vector<int64_t>{1, 2}}});
  const int x = maker.Input({2});
  maker.Output(maker.AddOne("Eltwise", {parts[1], x}, {}, {}, Type("SUM")));
  Graph& graph = Untyped(maker);
  Folder folder;
  ASSERT_TRUE(folder.Infer(graph).ok());
  EXPECT_EQ(Nodes(graph), "n2");
  EXPECT_EQ(folder.prepared, (std::vector<std::string>{"n0", "n1"}));
  for (int id : {a, parts[0], parts[1]}) {
    ASSERT_TRUE(graph.values[id].is_constant());
    EXPECT_EQ(graph.values[id].owner.get(), graph.values[id].data);
    EXPECT_EQ(static_cast<const char*>(graph.values[id].data)[0],
              id == parts[1] ? 2 : 1);
  }
  EXPECT_EQ(folder.inputs[0].handle, graph.values[a].data);
  EXPECT_EQ(graph.nodes[0].node.inputs[0].data, graph.values[parts[1]].data);
}

TEST(InferGraph, AShapeIsKnownWhateverItIsOf) {
  PlanMaker maker;
  const int x = maker.Input({5, 4});
  const int shape = maker.AddOne("Shape", {x}, {});
  const int y = maker.AddOne("Eltwise", {x, x}, {}, {}, Type("SUM"));
  maker.Output(y);
  maker.Output(shape);
  Graph& graph = Untyped(maker);
  Folder folder;
  ASSERT_TRUE(folder.Infer(graph).ok());
  EXPECT_EQ(Nodes(graph), "n1");
  EXPECT_TRUE(graph.values[shape].is_constant());
  EXPECT_FALSE(graph.values[y].is_constant());
}

// Returns whether a sum of constants with this many elements is folded.
bool IsFolded(int64_t elements, Folder* folder, int copies = 1) {
  PlanMaker maker;
  const int w = maker.Constant({elements});
  for (int i = 0; i < copies; ++i) {
    maker.Output(maker.AddOne("Eltwise", {w, w}, {}, {}, Type("SUM")));
  }
  Graph& graph = Untyped(maker);
  EXPECT_TRUE(folder->Infer(graph).ok());
  return graph.nodes.empty();
}

TEST(InferGraph, LargeConstantsStayNodes) {
  Folder folder;
  EXPECT_TRUE(IsFolded(1 << 18, &folder));
  EXPECT_FALSE(IsFolded((1 << 18) + 1, &folder));
}

TEST(InferGraph, NodesThatTheFolderRefusesStay) {
  Folder folder;
  folder.refused = "n0";
  EXPECT_FALSE(IsFolded(4, &folder));
  EXPECT_TRUE(folder.prepared.empty());
}

TEST(InferGraph, FoldsUntilTheWorkIsDone) {
  // Each reads and writes 3 MiB; the limit is 256 MiB.
  const auto folded = [](int copies) {
    PlanMaker maker;
    const int w = maker.Constant({1 << 18});
    for (int i = 0; i < copies; ++i) {
      maker.Output(maker.AddOne("Eltwise", {w, w}, {}, {}, Type("SUM")));
    }
    Graph& graph = Untyped(maker);
    Folder folder;
    EXPECT_TRUE(folder.Infer(graph).ok());
    return copies - static_cast<int>(graph.nodes.size());
  };
  EXPECT_EQ(folded(85), 85);
  EXPECT_EQ(folded(90), 85);
}

// A product of a [rows, depth] and a [depth, columns] constant, whose kernel
// reports `macs`.
bool IsProductFolded(int64_t rows, int64_t depth, int64_t columns,
                     int64_t macs) {
  PlanMaker maker;
  maker.Output(maker.AddOne(
      "MatMul",
      {maker.Constant({rows, depth}), maker.Constant({depth, columns})}, {}));
  Graph& graph = Untyped(maker);
  Folder folder;
  folder.macs = macs;
  EXPECT_TRUE(folder.Infer(graph).ok());
  EXPECT_EQ(folder.prepared.size(), 1u);
  return graph.nodes.empty();
}

TEST(InferGraph, WorkIsMultiplyAddsWhereThereAreMany) {
  EXPECT_TRUE(IsProductFolded(4, 4, 4, int64_t{1} << 28));
  EXPECT_FALSE(IsProductFolded(4, 4, 4, (int64_t{1} << 28) + 1));
  // If a kernel does not report its work, each output may read all of the
  // larger input.
  EXPECT_TRUE(IsProductFolded(256, 64, 64, 0));   // 2^14 times 2^14
  EXPECT_FALSE(IsProductFolded(256, 64, 65, 0));  // 65 * 256 times 2^14
  EXPECT_FALSE(IsProductFolded(64, 65, 256, 0));  // 2^14 times 65 * 256
}

TEST(InferGraph, BytesCountWhereReadOnce) {
  // Its kernel reports much work, but the op reads each input once.
  Folder folder;
  folder.macs = int64_t{1} << 40;
  EXPECT_TRUE(IsFolded(4, &folder));
}

TEST(InferGraph, ErrorsNameTheNode) {
  {
    PlanMaker maker;
    maker.Output(maker.AddOne("Eltwise", {maker.Input({2}), maker.Input({3})},
                              {}, {}, Type("SUM")));
    const Status status = Folder().Infer(Untyped(maker));
    EXPECT_EQ(status.code(), Status::MACE_INVALID_MODEL);
    EXPECT_NE(status.information().find("Eltwise 'n0'"), std::string::npos);
  }
  for (const bool fails : {true, false}) {
    PlanMaker maker;
    const int w = maker.Constant({2});
    maker.Output(maker.AddOne("Eltwise", {w, w}, {}, {}, Type("SUM")));
    Folder folder;
    folder.fails = fails;
    folder.broken = fails ? "" : "n0";
    EXPECT_EQ(folder.Infer(Untyped(maker)).information(),
              fails ? "no luck" : "full");
  }
}

TEST(InferGraph, TensorsFitIntoTheMachine) {
  const int64_t huge = int64_t{1} << 50;
  {
    PlanMaker maker;
    maker.Output(maker.Input({huge}));
    const Status status = Folder().Infer(maker.plan.graph);
    EXPECT_EQ(status.code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_NE(
        status.information().find(
            "input 'v0' is f32[1125899906842624], 4503599627370496 bytes"),
        std::string::npos)
        << status.information();
  }
  {
    PlanMaker maker;
    const int x = maker.Input({1 << 25, 1});
    const int y = maker.Input({1, 1 << 25});
    maker.Output(maker.AddOne("Eltwise", {x, y}, {}, {}, Type("SUM")));
    const Status status = Folder().Infer(Untyped(maker));
    EXPECT_EQ(status.code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_NE(status.information().find("Eltwise 'n0': output 0 is f32"),
              std::string::npos)
        << status.information();
  }
}

TEST(InferGraph, AbsentInputsAreNoOperands) {
  PlanMaker maker;
  const int x = maker.Input({1, 4, 4, 2});
  const int w = maker.Constant({3, 2, 1, 1});
  maker.Output(maker.AddOne("Conv2d", {x, w, -1}, {}));
  Graph& graph = Untyped(maker);
  const Status status = Folder().Infer(graph);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_FALSE(graph.nodes[0].node.inputs[2].present());
}

// Compares RemoveDeadNodes with the nodes that a walk from the outputs reaches.
TEST(RemoveDeadNodes, KeepsWhatOutputsNeed) {
  int removed = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PlanMaker maker;
    std::vector<int> values = {maker.Input({1}), -1};
    for (int n = random.Between(1, 12); n > 0; --n) {
      std::vector<int> inputs;
      for (int k = random.Below(3); k >= 0; --k) {
        inputs.push_back(random.Of(values));
      }
      const std::vector<Shape> shapes(random.Between(1, 2), {1});
      for (int id : maker.Add("Any", inputs, shapes)) values.push_back(id);
    }
    for (int id : values) {
      if (id >= 0 && random.OneIn(8)) maker.Output(id);
    }
    Graph& graph = maker.plan.graph;
    std::vector<bool> needed(graph.values.size());
    for (int id : graph.outputs) needed[id] = true;
    std::vector<std::string> want;
    for (size_t pass = 0; pass < graph.nodes.size(); ++pass) {
      want.clear();
      for (const GraphNode& g : graph.nodes) {
        bool alive = false;
        for (int id : g.outputs) alive |= needed[id];
        if (!alive) continue;
        want.push_back(g.node.name);
        for (int id : g.inputs) {
          if (id >= 0) needed[id] = true;
        }
      }
    }
    const size_t before = graph.nodes.size();
    RemoveDeadNodes(graph);
    std::vector<std::string> left;
    for (const GraphNode& g : graph.nodes) left.push_back(g.node.name);
    EXPECT_EQ(left, want);
    removed += before > left.size();
  }
  EXPECT_GT(removed, 100);
}

}  // namespace
}  // namespace mace
