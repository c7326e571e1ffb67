// Node: one operator of a graph, with its attributes and the types that flow
// in and out. Plain data; ops/ gives it meaning, a device runs it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_NODE_H_
#define MACE_GRAPH_NODE_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "mace/graph/tensor_type.h"

namespace mace {

// One attribute, as the model file spells it.
using Attr = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                          std::vector<float>>;
using AttrMap = std::map<std::string, Attr>;

// One input of a node.
struct Operand {
  TensorType type;  // dtype kInvalid: an optional input that is not there
  // The contents where they are known before the model runs (a weight, or
  // folded by the plan), densely stored; null otherwise. Not owned.
  const void* data = nullptr;
  // Which weight of the model `data` is, for sharing packed copies between
  // engines; -1 if it is none.
  int64_t weight_id = -1;
  // kF16 or kBF16 where `data` holds an f32's elements as fp16, which only
  // devices see that ask for it (Device::TakesFp16); else kInvalid.
  DataType stored = DataType::kInvalid;

  bool present() const { return type.dtype != DataType::kInvalid; }
};

struct Node {
  std::string name;
  std::string op;
  AttrMap attrs;
  std::vector<Operand> inputs;
  std::vector<TensorType> outputs;  // filled by shape inference

  // Whether optional input `i` is there.
  bool has_input(size_t i) const {
    return i < inputs.size() && inputs[i].present();
  }
};

// "Softmax 'prob'", how every message about a node starts.
std::string Label(const Node& node);

// Lists that decide shapes have an entry per axis, or per output of a Split.
constexpr int64_t kMaxConstantInts = 1 << 20;

// Reads a constant integer operand (i32 or i64, any shape) into 64 bits.
// REQUIRES: operand.data is set. Errors: MACE_INVALID_MODEL on another type,
// and on more than kMaxConstantInts.
Result<std::vector<int64_t>> ConstantInts(const Node& node, size_t input);

}  // namespace mace

#endif  // MACE_GRAPH_NODE_H_
