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
  // The contents if they are known before the model runs (of a weight or a
  // folded constant), else null. Row-major, unless `stored` is a type whose
  // layout stored_weight.h describes. Not owned.
  const void* data = nullptr;
  // The index of `data` among the model's weights, by which engines share
  // packed copies; -1 if it is not a weight.
  int64_t weight_id = -1;
  // The type in which `data` holds the elements of an f32 operand, if that is
  // another one: kF16, kBF16, or quantized (kI8, kU8, kI8Blocks, kU4Blocks;
  // stored_weight.h); else kInvalid. A device gets such an operand only if it
  // accepts it (NodeKernels::TakesFp16).
  DataType stored = DataType::kInvalid;
  // How kI8 values in `data` are dequantized; null: by the scales that follow
  // them there.
  QuantizationPtr stored_quantization = nullptr;

  bool present() const { return type.dtype != DataType::kInvalid; }
};

class CustomState;  // mace/ops/common/custom_op.h

// Further fields of a node, for a custom op, which the app registered.
struct CustomPart {
  std::shared_ptr<CustomState> state;  // null: an op of this library
  // Filled by shape inference.
  int64_t scratch_bytes = 0;
  int in_place_input = -1;  // output 0 may share its memory; -1: no input
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

  // Returns whether there is an input `i`, and it is not absent.
  bool has_input(size_t i) const {
    return i < inputs.size() && inputs[i].present();
  }
};

// Returns the op and the name, such as "Softmax 'prob'", with which messages
// about a node begin. A long op or name is shortened (ShortText).
std::string Label(const Node& node);

// The maximum length of a list of integers that decides a shape. Such lists
// have an entry for each axis, or for each output of a Split.
constexpr int64_t kMaxConstantInts = 1 << 20;

// Reads a constant integer operand (i32 or i64, any shape) into 64 bits.
// REQUIRES: operand.data is set, or the operand has no elements. Errors:
// MACE_INVALID_MODEL for another type, and for more than kMaxConstantInts.
Result<std::vector<int64_t>> ConstantInts(const Node& node, size_t input);

}  // namespace mace

#endif  // MACE_GRAPH_NODE_H_
