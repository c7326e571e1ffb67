// A graph in the stand-in for hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
//
// The texts of CheckConst, CheckNode and Run become parts of a fault
// ("hexagon_nn_execute_new: ..."); StandInTest expects none. Not thread-safe:
// the entry points of stand_in.cc hold a mutex.
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

// An operation as it was appended, by its name in kOpNames.
struct Node {
  uint32_t id = 0;
  std::string op;
  uint32_t padding = 0;
  std::vector<nnlib::NnInput> inputs;
  std::vector<nnlib::NnOutput> outputs;
};

// What the calls of one graph have built so far.
struct Graph {
  std::map<uint32_t, NnTensor> consts;
  std::vector<Node> nodes;
  // Of constants and operations, none twice.
  std::set<uint32_t> ids;
  bool is_prepared = false;
  uint32_t runs = 0;
  // What hexagon_nn_getlog will give.
  std::string log;
};

// Return what is wrong with a constant, or with an operation as it is appended
// (its number, number of inputs and outputs, how outputs are declared); or an
// empty text.
std::string CheckConst(const nnlib::NnTensorDef& t);
std::string CheckNode(const nnlib::NnOpNode& node);

// Whether every input is a constant or an output of an operation before.
bool IsResolved(const Graph& graph);

// The operations, a line each, as tests compare them: "1 INPUT () ->
// [1,8,8,4]". Constants of a few words are numbers.
std::string TextOf(const Graph& graph);

// Copies `bytes` bytes of a tensor, with its shape.
NnTensor TensorOf(const nnlib::NnTensorDef& def, size_t bytes);

// Computes all operations in order and writes the outputs to the caller's
// memory, or returns what is wrong: inputs must have exactly the declared
// shapes and be aligned to 128 bytes, outputs need room. REQUIRES: the graph is
// prepared.
std::string Run(Graph& graph, const nnlib::NnTensorDef* inputs, int num_inputs,
                nnlib::NnTensorDef* outputs, int num_outputs);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_GRAPH_H_
