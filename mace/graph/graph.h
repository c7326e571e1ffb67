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
  TensorType type;  // of a node's output: dtype kInvalid until shape inference
  const void* data = nullptr;  // the contents of a constant; Operand::data
  int64_t weight_id = -1;      // index among the model's weights, or -1
  DataType stored = DataType::kInvalid;           // see Operand::stored
  QuantizationPtr stored_quantization = nullptr;  // as Operand's
  // Owns `data` if the plan computed it. Null for mapped weights, which the
  // model owns.
  std::shared_ptr<const void> owner;

  bool is_constant() const { return data != nullptr; }
};

// Returns the value as the input of a node. The result does not own `data`.
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
// Subgraphs by name. Nodes with branches or a body (If, Loop) name them in
// attributes. A subgraph has values of its own for the weights that its nodes
// read or that are its outputs.
using Subgraphs = std::map<std::string, Graph>;

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<GraphNode> nodes;  // each after the nodes it reads from
  std::vector<int> inputs;       // value ids
  std::vector<int> outputs;      // value ids
  // Null if the model has no subgraphs. Those of a subgraph are in the same map
  // as it is, so that its own pointer is null.
  std::shared_ptr<const Subgraphs> subgraphs = nullptr;
};

// Returns a text: the name and the inputs of the graph, then a line for each
// node with its label, inputs, outputs and attributes, then the outputs. Values
// have their types behind their names.
std::string Dump(const Graph& graph);

}  // namespace mace

#endif  // MACE_GRAPH_GRAPH_H_
