// Op: the facts of an operator, stated once and without a device.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_OP_H_
#define MACE_OPS_COMMON_OP_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/graph/node.h"
#include "mace/ops/common/attr_info.h"
#include "mace/ops/common/input_type.h"

namespace mace {

// An input of an op, with its name for messages.
struct KnownInput {
  int index;
  const char* name;
};

// What an op makes of the order of its axes: a layout rule for whoever wants
// to move a transpose from the inputs of a node to its outputs.
enum class AxisOrder {
  kFixed,  // an axis means something by its place: [N,H,W,C], the last one
  kAny,    // element by element, with broadcasting: all orders are alike
  kNamed,  // the same, if the attributes that name axes name them again
};

// The facts of an operator. Whatever else needs one (kernels, the planner, the
// converter by way of tools/ops.json) reads it here.
struct Op {
  const char* name;  // as written in the model file
  // The first min_inputs inputs must be there. Those behind them may be absent
  // (named "" in the model file, or left out at the end), unless max_inputs is
  // kMany: of a list, none may.
  int min_inputs;
  int max_inputs;   // kMany: no limit
  int num_outputs;  // kMany: one or more
  // Checks attributes and operands, then sets the types of node.outputs (which
  // has as many entries as the model file names outputs). The function Infer,
  // below, has checked before what the fields of Op say.
  // Errors: MACE_INVALID_MODEL. Limits of a device are no concern of it.
  Status (*infer)(Node& node);
  std::vector<AttrInfo> attrs;

  // Output 0 holds the bytes of input 0 under another shape (Reshape, ...), so
  // that a plan may let them share memory.
  bool is_view = false;
  // Where output `i` of an inferred node begins in the bytes of input 0, where
  // it is a contiguous part of them; else -1. Null: no output ever is.
  int64_t (*part_offset)(const Node& node, size_t i) = nullptr;
  // The outputs depend on the types of the inputs, never on their contents
  // (Shape), so that a plan can always compute them ahead.
  bool reads_types_only = false;
  // Reads any number of inputs for each output (MatMul, Pooling): how much work
  // it is does not follow from the bytes of its inputs and outputs.
  bool reads_many = false;
  AxisOrder axis_order = AxisOrder::kFixed;
  // Inputs whose contents must be known before the model runs, where they are
  // given: they decide shapes.
  std::vector<KnownInput> known_inputs = {};
  // By input; the last entry holds for all further ones. Empty: any types.
  std::vector<InputType> types = {};
  // With these values of an attribute, input 0 has other types.
  struct TypesWith {
    std::string attr;
    std::vector<std::string> values;
    std::vector<DataType> types;
  };
  TypesWith types_with = {};

  bool MayBeAbsent(int input) const;

  // The op with one more fact. REQUIRES: there is an attribute of that name.
  Op Choices(const std::string& attr, std::vector<Choice> choices) const;
  Op NamesAxes(const std::string& attr) const;

  Op Knows(std::vector<KnownInput> inputs) const;
  Op Takes(std::vector<InputType> inputs) const;
  Op TakesWith(const char* attr, std::vector<std::string> values,
               std::vector<DataType> of_input_0) const;
  Op IsView() const;
  Op IsPart(int64_t (*offset)(const Node& node, size_t i)) const;
  Op ReadsTypesOnly() const;
  Op ReadsMany() const;
  Op WithOrder(AxisOrder order) const;
};

constexpr int kMany = 1 << 20;

inline bool Op::MayBeAbsent(int input) const {
  return input >= min_inputs && max_inputs != kMany;
}

// The ops of this build. The table is written by //mace:op_table.bzl from the
// file names in mace/ops: softmax.cc must define `Op ops::Softmax()`, or the
// library does not link.
struct OpEntry {
  const char* name;
  Op (*op)();
};
extern const OpEntry kOps[];
extern const int kNumOps;

// Null if there is no such op in this build.
const Op* FindOp(const std::string& name);

// Every op, by name.
std::vector<const Op*> AllOps();

// Where output `i` of an inferred node begins in the bytes of input 0, where
// it is a part of them as they lie there; else -1.
int64_t ViewOffset(const Node& node, size_t i);

// Checks what the fields of Op say: the number of inputs and outputs, that only
// inputs are absent that may be, element types, choices of attributes, inputs
// that must be known. Then calls the op's infer.
// Errors: MACE_INVALID_MODEL; MACE_UNSUPPORTED for an op not in this build.
Status Infer(Node& node);

}  // namespace mace

#endif  // MACE_OPS_COMMON_OP_H_
