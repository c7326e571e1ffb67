// Constants are folded until a bound of work is spent; the rest stays nodes.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mace/cpu/cpu_device.h"
#include "mace/plan/stages/infer.h"

namespace mace {
namespace {

// 16 MiB, which each Gather below may read.
constexpr int64_t kRows = int64_t{1} << 22;

// Nodes that each take one element of a constant: little to compute, but each
// counts with the bytes of the constant.
Graph ManyReaders(int count, const std::vector<float>& rows,
                  const int64_t* index) {
  Graph graph;
  Value value;
  value.name = "rows";
  value.type = {DataType::kF32, {kRows}};
  value.data = rows.data();
  graph.values.push_back(value);
  value.name = "index";
  value.type = {DataType::kI64, {1}};
  value.data = index;
  graph.values.push_back(value);
  for (int i = 0; i < count; ++i) {
    GraphNode g;
    g.node.name = "gather" + std::to_string(i);
    g.node.op = "Gather";
    g.node.outputs.resize(1);
    g.inputs = {0, 1};
    g.outputs = {static_cast<int>(graph.values.size())};
    graph.outputs.push_back(g.outputs[0]);
    graph.nodes.push_back(g);
    graph.values.emplace_back();
    graph.values.back().name = g.node.name;
  }
  return graph;
}

TEST(Folding, EndsWhereItsWorkIsSpent) {
  const std::vector<float> rows(kRows, 1);
  const int64_t index = 7;
  auto device =
      CpuDevice::Create({1, 0, true}, std::make_shared<PackedWeights>());
  ASSERT_TRUE(device.ok());
  // 2^28 bytes hold 15 readings of 2^24 and a few bytes, not 16.
  Graph graph = ManyReaders(20, rows, &index);
  ASSERT_EQ(InferGraph(graph, **device), Status::MACE_SUCCESS);
  EXPECT_EQ(graph.nodes.size(), 5u);
  ASSERT_FALSE(graph.nodes.empty());
  EXPECT_EQ(graph.nodes[0].node.name, "gather15");
  for (int id : graph.outputs) {
    EXPECT_EQ(graph.values[id].type, (TensorType{DataType::kF32, {1}}));
  }
  Graph few = ManyReaders(15, rows, &index);
  ASSERT_EQ(InferGraph(few, **device), Status::MACE_SUCCESS);
  EXPECT_TRUE(few.nodes.empty());
}

}  // namespace
}  // namespace mace
