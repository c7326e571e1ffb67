// Graph: nodes in execution order and the values between them. Plain data.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_GRAPH_H_
#define MACE_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// A tensor that is produced once: a graph input, a weight or a node's output.
struct Value {
  std::string name;
  TensorType type;             // dtype kInvalid until shape inference
  const void* data = nullptr;  // contents if constant, densely stored
  int64_t weight_id = -1;      // index among the model's weights, or -1
  DataType stored = DataType::kInvalid;  // as Operand::stored
  // Keeps `data` alive where the plan computed it; null for mapped weights,
  // which the model keeps alive.
  std::shared_ptr<const void> owner;

  bool is_constant() const { return data != nullptr; }
};

struct GraphNode {
  Node node;
  std::vector<int> inputs;   // value ids; -1: an optional input not given
  std::vector<int> outputs;  // value ids
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<GraphNode> nodes;  // each after the nodes it reads from
  std::vector<int> inputs;       // value ids
  std::vector<int> outputs;      // value ids
};

// One line per node: label, inputs and outputs with types, attributes.
std::string Dump(const Graph& graph);

}  // namespace mace

#endif  // MACE_GRAPH_GRAPH_H_
