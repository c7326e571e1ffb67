// Op: the meaning of an operator, told once and without a device.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_OP_H_
#define MACE_OPS_COMMON_OP_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/graph/attrs.h"
#include "mace/graph/node.h"

namespace mace {

// An input of an op, with its name for messages.
struct KnownInput {
  int index;
  const char* name;
};

struct Op {
  const char* name;  // as written in the model file
  // The first min_inputs inputs must be there. Those behind them may be absent
  // (named "" in the model file, or left out at the end), unless max_inputs is
  // kMany: of a list, none may.
  int min_inputs;
  int max_inputs;   // kMany: no limit
  int num_outputs;  // kMany: one or more
  // Checks attributes and operands, then sets the types of node.outputs (which
  // has as many entries as the model file names outputs).
  // Errors: MACE_INVALID_MODEL. Limits of a device are no concern of it.
  Status (*infer)(Node& node);
  // The attributes, for docs, the converter's op list and fuzzing.
  std::vector<AttrName> (*attr_names)();
  // Output 0 holds the bytes of input 0 under another shape (Reshape, ...), so
  // that a plan may let them share memory.
  bool is_view = false;
  // The outputs depend on the types of the inputs, never on their contents
  // (Shape), so that a plan can always compute them ahead.
  bool reads_types_only = false;
  // Reads any number of inputs for each output (MatMul, Pooling): how much work
  // it is does not follow from the bytes of its inputs and outputs.
  bool reads_many = false;
  // Inputs whose contents must be known before the model runs, where they are
  // given: they decide shapes. Infer checks it.
  std::vector<KnownInput> known_inputs = {};

  bool MayBeAbsent(int input) const;
};

// The op with these as its known_inputs.
inline Op KnowingInputs(Op op, std::vector<KnownInput> inputs) {
  op.known_inputs = std::move(inputs);
  return op;
}

constexpr int kMany = 1 << 20;

inline bool Op::MayBeAbsent(int input) const {
  return input >= min_inputs && max_inputs != kMany;
}

// `attr_names` of an op whose attribute struct is Attrs.
template <typename Attrs>
std::vector<AttrName> AttrNamesOf() {
  Attrs attrs;
  AttrNames names;
  attrs.Fields(names);
  return names.names;
}

// The attributes of an op that has none.
struct NoAttrs {
  template <typename V>
  void Fields(V&) {}
};

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

// Checks the number of inputs and outputs and that only inputs are absent that
// may be, then calls the op's infer.
// Errors: MACE_INVALID_MODEL; MACE_UNSUPPORTED for an op not in this build.
Status Infer(Node& node);

}  // namespace mace

#endif  // MACE_OPS_COMMON_OP_H_
