// Graph: nodes in execution order and the values between them. Plain data.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_GRAPH_H_
#define MACE_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// A tensor that is written once: an input of the graph, a weight, or the output
// of a node.
struct Value {
  std::string name;
  TensorType type;             // dtype kInvalid until shape inference
  const void* data = nullptr;  // the contents of a constant, row-major
  int64_t weight_id = -1;      // index among the model's weights, or -1
  DataType stored = DataType::kInvalid;           // see Operand::stored
  QuantizationPtr stored_quantization = nullptr;  // as Operand's
  // Owns `data` if the plan computed it. Null for mapped weights, which the
  // model owns.
  std::shared_ptr<const void> owner;

  bool is_constant() const { return data != nullptr; }
};

// The value as what a node reads.
inline Operand OperandOf(const Value& value) {
  return {value.type, value.data, value.weight_id, value.stored,
          value.stored_quantization};
}

struct GraphNode {
  Node node;
  std::vector<int> inputs;   // value ids; -1: an absent optional input
  std::vector<int> outputs;  // value ids
};

struct Graph;
// What nodes with branches or a body name in an attribute. Weights that their
// nodes read are values of their own.
using Subgraphs = std::map<std::string, Graph>;

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<GraphNode> nodes;  // each after the nodes it reads from
  std::vector<int> inputs;       // value ids
  std::vector<int> outputs;      // value ids
  // Null: no node has any. Subgraphs refer to others by the same map, so that
  // their own is null.
  std::shared_ptr<const Subgraphs> subgraphs = nullptr;
};

// Prints one line for each node: its label, its inputs and outputs with their
// types, and its attributes.
std::string Dump(const Graph& graph);

}  // namespace mace

#endif  // MACE_GRAPH_GRAPH_H_
