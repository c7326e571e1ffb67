// Op: the schema of an operator, all properties that do not depend on a device.
// SPDX-License-Identifier: Apache-2.0
//
// An op is a file such as mace/ops/softmax.cc, whose head defines what it
// computes, and mace/ops/softmax.h, which has its attributes and what infer and
// the kernels of all devices derive from a node:
//
//  Infer(node)    number and types of inputs, choices, known inputs
//    op.infer       shapes, relations between operands, output types
//    QuantizeOutputs
//  Prepare        (of a device) calls the same functions, ResolveX(node)
//
// Functions of these headers that take a Node require what Infer checks before
// it calls infer. They are pure, so that any thread may call them.
#ifndef MACE_OPS_COMMON_OP_H_
#define MACE_OPS_COMMON_OP_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "mace/base/lazy_table.h"
#include "mace/graph/node.h"
#include "mace/ops/common/attr_info.h"
#include "mace/ops/common/input_type.h"

namespace mace {

// An input that must be known before the model runs, with a name for messages.
struct KnownInput {
  int index;
  const char* name;
};

// How an op depends on the order of axes. A rewrite that moves a transpose from
// the inputs of a node to its outputs needs to know.
enum class AxisOrder {
  kFixed,  // an axis has a meaning by its position, as in [N,H,W,C]
  kAny,    // elementwise, with broadcasting: any order gives the same
  kNamed,  // as kAny, if the attributes that name axes are adapted
};

// What an op does with quantized tensors (see mace/graph/quantization.h).
enum class OnQuantized {
  kRefuses,  // it is defined on real numbers only, or on plain integers
  // It moves quantized values, or picks some of them, as in Reshape and MAX
  // pooling: the outputs are quantized as the first quantized input is.
  kMoves,
  kComputes,  // its outputs are quantized as the model file says
};

// The schema of an operator. Everything else that needs it (kernels, the
// planner, the converter through tools/ops.json) reads it here. Defined as a
// chain that begins with the constructor, and immutable once it is in the
// table:
//
//  Op Softmax() {
//    return Op{"Softmax", 1, 1, 1, InferSoftmax, AttrsOf<SoftmaxAttrs>}
//        .NamesAxes("axis")
//        .WithOrder(AxisOrder::kNamed);
//  }
struct Op {
  const char* name;  // as written in the model file
  // The first min_inputs inputs must be present. Later ones may be absent
  // (named "" in the model file, or left out at the end), unless max_inputs is
  // kMany: then the inputs are a list, which has no gaps.
  int min_inputs;
  int max_inputs;   // kMany: no limit
  int num_outputs;  // the maximum; a node has one or more. kMany: no limit
  // Checks attributes and operands, then sets the types of node.outputs, which
  // has one entry for each output that the model file names. The function Infer
  // below has already checked what the fields of Op say. Errors:
  // MACE_INVALID_MODEL. The limits of devices do not matter here.
  Status (*infer)(Node& node);
  std::vector<AttrInfo> attrs;

  // Output 0 has the bytes of input 0, perhaps with another shape or type, as
  // in Reshape and Bitcast, so that a plan may let them share memory.
  bool is_view = false;
  // Sets, for each output of an inferred node that is a contiguous part of
  // input 0, the byte at which it begins there. The others are -1 before. Null:
  // no output ever is.
  void (*part_offsets)(const Node& node, int64_t* offsets) = nullptr;
  // The outputs depend only on the types of the inputs, not on their contents,
  // as in Shape, so that a plan can always compute them.
  bool reads_types_only = false;
  // Each output element reads many inputs, as in MatMul and Pooling, so that
  // the amount of work does not follow from the bytes of inputs and outputs.
  bool reads_many = false;
  AxisOrder axis_order = AxisOrder::kFixed;
  // Inputs that decide shapes: if they are present and have elements, their
  // contents must be known before the model runs.
  std::vector<KnownInput> known_inputs = {};
  // By input; the last entry applies to all further inputs. Empty: any types.
  std::vector<InputType> types = {};
  // If the attribute has one of these values, input 0 has these types instead.
  struct TypesWith {
    std::string attr;
    std::vector<Choice> values;
    DataTypes types;
  };
  TypesWith types_with = {{}, {}, {}};
  OnQuantized on_quantized = OnQuantized::kRefuses;

  // `list` returns the attributes: AttrsOf<...>, in attr_info.h.
  Op(const char* its_name, int at_least, int at_most, int outputs,
     Status (*its_infer)(Node& node), std::vector<AttrInfo> (*list)());
  Op(Op&& other);
  ~Op();

  bool MayBeAbsent(int input) const;

  // Each adds a property to an op that is being defined. REQUIRES: the
  // attribute exists.

  // The values that the attribute may have; others are errors of Infer.
  Op&& Choices(const char* attr, const Texts& texts) &&;
  Op&& Choices(const char* attr, const NameTable& names) &&;
  Op&& Choices(const char* attr, std::initializer_list<NamedNumber> numbers) &&;
  Op&& Choices(const char* attr, ListChoices list) &&;
  // Sets AttrInfo::names_axes.
  Op&& NamesAxes(const char* attr) &&;

  // Adds to known_inputs; `what` names the input in messages.
  Op&& Knows(int input, const char* what) &&;
  // Sets `types`.
  Op&& Takes(std::initializer_list<InputType> inputs) &&;
  // Sets types_with. REQUIRES: input_0 is a set, and Takes is called, too.
  Op&& TakesWith(const char* attr, const Texts& values,
                 const InputType& input_0) &&;
  // Set the fields of these names; IsPart sets part_offsets.
  Op&& IsView() &&;
  Op&& IsPart(void (*offsets)(const Node& node, int64_t* offsets)) &&;
  Op&& ReadsTypesOnly() &&;
  Op&& ReadsMany() &&;
  Op&& WithOrder(AxisOrder order) &&;
  Op&& WithQuantized(OnQuantized use) &&;
};

// More than any count of inputs or outputs: no limit.
constexpr int kMany = 1 << 20;

inline bool Op::MayBeAbsent(int input) const {
  return input >= min_inputs && max_inputs != kMany;
}

// The ops of this build. //mace:op_table.bzl writes the table from the file
// names in mace/ops: softmax.cc must define `Op ops::Softmax()`, or the library
// does not link.
using OpEntry = TableEntry<Op>;
extern const OpEntry kOps[];
extern const int kNumOps;

// Returns null if this build has no such op; else an op that lives as long as
// the program. Threads: any, as for AllOps.
const Op* FindOp(const std::string& name);

// Returns all ops, sorted by name.
std::vector<const Op*> AllOps();

// Returns, by output of an inferred node, the byte at which it begins within
// input 0 if it is a view of a contiguous part of it, else -1. A node whose op
// is not in the table, such as a fused one, has none.
std::vector<int64_t> ViewOffsets(const Node& node);

// Checks what the fields of Op say: the number of inputs and outputs, which
// inputs may be absent, element types, choices of attributes, and inputs that
// must be known. Then calls the op's infer, and gives the outputs their
// quantization. For a node of a custom op, only calls CustomState::Prepare, and
// returns its errors. Errors: MACE_INVALID_MODEL, also for an output that is
// too large for memory; MACE_UNSUPPORTED for an op that this build does not
// have, and for quantized inputs of an op that takes none.
//
// If `unknown` is not null, an input that must be known and is not is no error:
// Infer stores its index in `*unknown`, which must be negative before, and the
// outputs have no types yet. An input without elements counts as known.
//
// REQUIRES: node.outputs has an entry for each output that the model file
// names.
Status Infer(Node& node, int* unknown = nullptr);

}  // namespace mace

#endif  // MACE_OPS_COMMON_OP_H_
