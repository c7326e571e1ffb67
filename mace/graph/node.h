// Node: one operator of a graph with its attributes and the types of its inputs
// and outputs. Plain data: mace/ops gives it a meaning, and a device runs it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_NODE_H_
#define MACE_GRAPH_NODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mace/graph/tensor_type.h"

namespace mace {

// One attribute, as it stands in the model file.
using Attr = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                          std::vector<float>>;
using AttrMap = std::map<std::string, Attr>;

// One input of a node.
struct Operand {
  TensorType type;  // dtype kInvalid: an absent optional input
  // The contents, row-major, if they are known before the model runs (of a
  // weight or a folded constant); else null. Not owned.
  const void* data = nullptr;
  // The index of `data` among the model's weights, by which engines share
  // packed copies; -1 if it is not a weight.
  int64_t weight_id = -1;
  // If `data` holds the elements of an f32 operand in another type: kF16,
  // kBF16, or quantized (kI8, kU8, kI8Blocks, kU4Blocks; stored_weight.h). That
  // only happens for devices that accept it (NodeKernels::TakesFp16); else
  // kInvalid.
  DataType stored = DataType::kInvalid;
  // How kI8 values are dequantized; null: by the scales that follow them.
  QuantizationPtr stored_quantization = nullptr;

  bool present() const { return type.dtype != DataType::kInvalid; }
};

class CustomState;  // mace/ops/common/custom_op.h

// What a node of a custom op, which the app registered, has besides.
struct CustomPart {
  std::shared_ptr<CustomState> state;  // null: an op of this library
  // Filled by shape inference.
  int64_t scratch_bytes = 0;
  int in_place_input = -1;  // output 0 may have its bytes; -1: no input's
  uint64_t prepared = 0;    // see CustomState::prepared
};

struct Node {
  std::string name;
  std::string op;
  AttrMap attrs;
  std::vector<Operand> inputs;
  std::vector<TensorType> outputs;  // filled by shape inference
  // How the model file says that the outputs are quantized: an entry for each
  // output, or none.
  std::vector<QuantizationPtr> output_quantization = {};
  CustomPart custom = {};

  // Whether input `i` is present.
  bool has_input(size_t i) const {
    return i < inputs.size() && inputs[i].present();
  }
};

// Returns the op and the name, such as "Softmax 'prob'", with which every
// message about a node begins.
std::string Label(const Node& node);

// The longest list of integers that decides a shape: such lists have an entry
// for each axis, or for each output of a Split.
constexpr int64_t kMaxConstantInts = 1 << 20;

// Reads a constant integer operand (i32 or i64, any shape) into 64 bits.
// REQUIRES: operand.data is set. Errors: MACE_INVALID_MODEL on another type,
// and on more than kMaxConstantInts.
Result<std::vector<int64_t>> ConstantInts(const Node& node, size_t input);

}  // namespace mace

#endif  // MACE_GRAPH_NODE_H_
