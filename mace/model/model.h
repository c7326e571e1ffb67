// Model: bytes that nobody vouches for, turned into a Graph over mapped
// weights. The only code that meets untrusted bytes.
// SPDX-License-Identifier: Apache-2.0
//
// Verified here (structure): the format version; names unique; every edge
// resolves to something defined before it; weights inside the array, aligned
// and not overflowing; the checksum; types and shapes well formed; subgraphs,
// variables and quantization. What ops mean is checked by shape inference
// (mace/ops), when a plan is made, and what settings mean by mace/runtime.
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

enum class DimensionOrder : uint8_t { kNone, kNhwc, kNchw };

// The bytes of all weights, and what keeps them alive.
struct WeightBytes {
  std::shared_ptr<const uint8_t> data;  // 64-byte aligned
  size_t size = 0;
};

// A memory plan that came with the model; verified by mace/plan before use.
struct EmbeddedMemoryPlan {
  uint32_t version = 0;  // 0: none
  uint64_t records_hash = 0;
  std::vector<int64_t> offsets;
  int64_t total_bytes = 0;
  int64_t lower_bound_bytes = 0;
  bool optimal = false;
};

// A weight as a kernel packs it, made ahead.
struct PrepackedWeights {
  int weight = 0;   // index among the file's weights: Value::weight_id
  std::string how;  // names the arrangement
  std::string name;
  const uint8_t* data = nullptr;
  size_t bytes = 0;
};

struct Model {
  Graph graph;  // weights point into `weights`; other values have no type yet
                // but for the inputs
  std::map<int, DimensionOrder> input_order;   // by value id
  std::map<int, DimensionOrder> output_order;  // by value id
  // What the file says of the nodes' outputs at the model's input shapes, by
  // value id; inference must agree. May lack entries.
  std::map<int, TensorType> declared;
  EmbeddedMemoryPlan memory_plan;
  std::vector<ModelSetting> settings;
  // Nodes of the source model whose meaning the declared input shapes settled;
  // if there are any, the graph is right for these shapes only.
  std::string fixed_input_shapes;
  WeightBytes weights;
  uint32_t packing_version = 0;  // of `packed`; 0: none
  std::vector<PrepackedWeights> packed;
  // What LoadModel leaves to VerifyTail: the plain bytes of packed weights.
  size_t head_bytes = 0;
  uint64_t tail_xxh3 = 0;
};

struct LoadOptions {
  bool verify_checksum = true;
};

// Whether the bytes are a graph that a converter of ours wrote, for messages
// about files that were confused.
bool IsGraph(const uint8_t* bytes, size_t size);

// Parses and verifies. Errors: MACE_INVALID_MODEL, saying where and what;
// MACE_INVALID_ARGS if the model has weights and none were given;
// MACE_UNSUPPORTED for parts of a sound model that no engine of this release
// runs: subgraphs, variables, quantized tensors.
// The checksum of weights that were packed ahead is left to VerifyTail.
Result<Model> LoadModel(const uint8_t* graph_bytes, size_t graph_size,
                        WeightBytes weights, const LoadOptions& options);

// Compares the checksum of the bytes behind `head_bytes`: before they are read,
// where packing_version is not 0. Errors: MACE_INVALID_MODEL.
Status VerifyTail(const Model& model);

}  // namespace mace

#endif  // MACE_MODEL_MODEL_H_
