// A graph in the stand-in for hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_STAND_IN_GRAPH_H_
#define MACE_HEXAGON_TESTING_STAND_IN_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mace/hexagon/nnlib/abi.h"
#include "mace/hexagon/testing/stand_in/compute.h"

namespace mace::hexagon::testing {

constexpr uint32_t kFirstId = 1000;  // of operations; no version has such ones

struct Node {
  uint32_t id = 0;
  std::string op;
  uint32_t padding = 0;
  std::vector<nnlib::NnInput> inputs;
  std::vector<nnlib::NnOutput> outputs;
};

struct Graph {
  std::map<uint32_t, NnTensor> consts;
  std::vector<Node> nodes;
  std::set<uint32_t> ids;
  bool is_prepared = false;
  uint32_t runs = 0;
  std::string log;
};

// What is wrong with a constant, or with an operation as it is appended; or an
// empty text.
std::string CheckConst(const nnlib::NnTensorDef& t);
std::string CheckNode(const nnlib::NnOpNode& node);

// Whether every input is a constant or an output of an operation before.
bool IsResolved(const Graph& graph);

// The operations, a line each. Constants of a few words are numbers.
std::string TextOf(const Graph& graph);

NnTensor TensorOf(const nnlib::NnTensorDef& def, size_t bytes);

// Computes the outputs, or returns what is wrong.
std::string Run(Graph& graph, const nnlib::NnTensorDef* inputs, int num_inputs,
                nnlib::NnTensorDef* outputs, int num_outputs);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_GRAPH_H_
