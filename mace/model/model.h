// Model: turns the untrusted bytes of a model into a Graph whose weights stay
// in the mapped file. Only mace/proto and this folder read these bytes.
// SPDX-License-Identifier: Apache-2.0
//
// Structure is verified here: the format version; that names are unique; that
// every edge leads to something defined earlier; that weights are aligned and
// inside the array, without overflow; the checksum; types and shapes;
// subgraphs, variables and quantization. The meaning of ops is checked by shape
// inference (mace/ops) when a plan is made, and the meaning of settings by
// mace/runtime.
#ifndef MACE_MODEL_MODEL_H_
#define MACE_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/model/model_settings.h"

namespace mace {

// The maximum rank of a tensor in a file.
constexpr int kMaxRank = 8;

enum class DimensionOrder : uint8_t { kNone, kNhwc, kNchw };

// The bytes of all weights. `data` keeps them alive, mapped or not, and
// everything that points into them must hold it, or the Model.
struct WeightBytes {
  std::shared_ptr<const uint8_t> data;  // 64-byte aligned
  size_t size = 0;
};

// A memory plan that came with the model. mace/plan verifies it before use.
struct EmbeddedMemoryPlan {
  uint32_t version = 0;  // 0: none
  uint64_t records_hash = 0;
  std::vector<int64_t> offsets;
  int64_t total_bytes = 0;
  int64_t lower_bound_bytes = 0;
  bool optimal = false;
};

// A weight in the order in which a kernel reads it, packed when the model was
// converted. Kernels that know `how` and Model::packing_version read it in
// place.
struct PrepackedWeights {
  int weight = 0;   // index among the file's weights: Value::weight_id
  std::string how;  // names the arrangement
  std::string name;
  // Within the first head_bytes of Model::weights, at a multiple of 64.
  const uint8_t* data = nullptr;
  size_t bytes = 0;
};

// A tensor that an engine keeps from run to run. Nodes read it as an input; it
// is among Graph::inputs only after AddStates.
struct StateVariable {
  int value = -1;    // in the graph, with its type
  int next = -1;     // what a node makes: its value in the next run
  int initial = -1;  // the weight that is its first value; -1: zeros
};

// The dimensions of an input or a state, of which some are dynamic.
struct OpenDims {
  Shape dims;                      // -1: dynamic, each run chooses the size
  std::vector<std::string> names;  // by dimension; "": none
  // Maxima by dimension, of a fixed one its size; empty: no limits.
  Shape most;
};

// A model whose structure is verified: every edge of the graph leads to an
// earlier value, and all ids and pointers below are valid.
struct Model {
  // Weights point into `weights`. Of the other values only inputs and states
  // have types yet.
  Graph graph;
  std::map<int, DimensionOrder> input_order;   // by value id
  std::map<int, DimensionOrder> output_order;  // by value id
  // By value id, of inputs and states with dynamic dimensions. Their types in
  // the graph have the largest sizes, or 1 where there is no limit.
  std::map<int, OpenDims> open_dims;
  // The types of node outputs that the file declares for the model's input
  // shapes, by value id. Inference must agree. Entries may be missing.
  std::map<int, TensorType> declared;
  // What the file states of the model's outputs, by value id; -1 is a dimension
  // that only a run computes. For callers, who see it until a run has computed
  // the output. Has an entry for each output.
  std::map<int, TensorType> stated_outputs;
  EmbeddedMemoryPlan memory_plan;
  std::vector<StateVariable> states;
  std::vector<ModelSetting> settings;
  // Nodes of the source model that the converter resolved for the declared
  // input shapes. If there are any, the graph is valid for these shapes only.
  std::string fixed_input_shapes;
  WeightBytes weights;
  uint32_t packing_version = 0;  // of `packed`; 0: none
  std::vector<PrepackedWeights> packed;
  // For VerifyTail: the checksum of the bytes after the first head_bytes, where
  // only weights that are also packed may lie.
  size_t head_bytes = 0;
  uint64_t tail_xxh3 = 0;
};

struct LoadOptions {
  // Whether to verify the checksum of the weights, for which all of them are
  // read. A checksum of the graph is always verified, if the file has one.
  bool verify_checksum = true;
};

// Returns whether the bytes are a NetDef with a format version, for messages
// about files that were swapped.
bool IsGraph(const uint8_t* bytes, size_t size);

// Parses and verifies a model. `graph_bytes` are not needed afterwards, while
// the result holds the weights. Errors: MACE_INVALID_MODEL, with the location
// and the reason; MACE_INVALID_ARGS if the model has weights and none were
// given; MACE_OUT_OF_RESOURCES; MACE_UNSUPPORTED for a model that needs a
// component without which this library was built (`dynamic`, `memory_tools`).
// Does not verify the checksum of weights that are also packed: see VerifyTail.
Result<Model> LoadModel(const uint8_t* graph_bytes, size_t graph_size,
                        WeightBytes weights, const LoadOptions& options);

// Appends the states to the inputs and their next values to the outputs of the
// model's graph, which is how plans see them. To be called once.
void AddStates(const std::vector<StateVariable>& states, Graph* graph);

// Verifies the checksum of the bytes after `head_bytes`. If packing_version is
// not 0, this must be called before they are read. Errors: MACE_INVALID_MODEL.
Status VerifyTail(const Model& model);

}  // namespace mace

#endif  // MACE_MODEL_MODEL_H_
