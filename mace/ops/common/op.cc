// Finding ops and the checks common to all of them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/op.h"

#include <algorithm>

#include "mace/base/fork.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/ops/common/custom_op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace {

extern const bool kHasEveryOp;  // in the table; false: those of some models

namespace {

LazyTable<Op>& Table() {
  const HoldFork hold_fork;
  static auto* table = new LazyTable<Op>(kOps, kNumOps);
  return *table;
}

std::string CountOf(int min, int max) {
  if (min == max) return std::to_string(min);
  if (max == kMany) return StrCat(min, " or more");
  return StrCat(min, " to ", max);
}

// Formats a text, of which a file may have any number of bytes, or a number for
// messages.
std::string AttrToString(const Attr& value) {
  constexpr size_t kMaxShown = 64;
  if (const auto* text = std::get_if<std::string>(&value)) {
    return StrCat("'", text->substr(0, kMaxShown),
                  text->size() > kMaxShown ? "...'" : "'");
  }
  const auto* number = std::get_if<int64_t>(&value);
  return number == nullptr ? "?" : std::to_string(*number);
}

std::string ChoiceNames(const std::vector<Choice>& choices) {
  std::string names;
  for (const Choice& choice : choices) {
    StrAppend(&names, names.empty() ? "" : ", ", choice.name);
    if (!std::holds_alternative<std::string>(choice.value)) {
      StrAppend(&names, " (", AttrToString(choice.value), ")");
    }
  }
  return names;
}

Status CheckChoices(const Op& op, const Node& node) {
  for (const AttrInfo& attr : op.attrs) {
    const auto given = node.attrs.find(attr.name);
    const Attr& value =
        given == node.attrs.end() ? attr.initial : given->second;
    if (attr.choices.empty() || value.index() != attr.initial.index()) {
      continue;  // ReadAttrs refuses values of another type
    }
    const bool found = AnyOf(attr.choices, [&](const Choice& choice) {
      return choice.value == value;
    });
    if (found) continue;
    return NodeError(node, attr.name, " ", AttrToString(value),
                     " must be one of ", ChoiceNames(attr.choices));
  }
  return Status();
}

// Returns the types of input 0, which may depend on an attribute.
DataTypes FirstTypes(const Op& op, const Node& node) {
  const auto& with = op.types_with;
  for (const AttrInfo& attr : op.attrs) {
    if (attr.name != with.attr) continue;
    const auto given = node.attrs.find(attr.name);
    const Attr& value =
        given == node.attrs.end() ? attr.initial : given->second;
    if (AnyOf(with.values,
              [&](const Choice& choice) { return choice.value == value; })) {
      return with.types;
    }
  }
  return op.types[0].types;
}

// Whether quantized values may be where these types may.
bool TakesFloats(const DataTypes& types) {
  return types.empty() || types.Has(DataType::kF32);
}

Status CheckTypes(const Op& op, const Node& node) {
  for (size_t i = 0; !op.types.empty() && i < node.inputs.size(); ++i) {
    const InputType& rule = op.types[std::min(i, op.types.size() - 1)];
    const TensorType& type = node.inputs[i].type;
    const DataTypes types = i == 0 ? FirstTypes(op, node) : rule.types;
    if (rule.as < 0 && type.is_quantized() && TakesFloats(types)) continue;
    // Weights of i16 tensors are i8; ops that compute with them check where
    // they may be.
    if (rule.as >= 0 && op.on_quantized == OnQuantized::kComputes &&
        node.inputs[0].type.dtype == DataType::kI16 && type.is_quantized() &&
        type.dtype == DataType::kI8) {
      continue;
    }
    MACE_RETURN_IF_ERROR(rule.as >= 0 ? CheckDtypeAs(node, i, rule.as)
                                      : CheckDtype(node, i, types));
  }
  return Status();
}

Status CheckKnown(const Op& op, const Node& node, int* unknown) {
  for (const KnownInput& known : op.known_inputs) {
    const size_t i = static_cast<size_t>(known.index);
    if (!node.has_input(i)) continue;
    const Operand& operand = node.inputs[i];
    if (operand.data != nullptr) continue;
    MACE_ASSIGN_OR_RETURN(const int64_t elements,
                          CheckedNumElements(operand.type.shape));
    if (elements == 0) continue;
    if (unknown != nullptr) {
      *unknown = known.index;
      return Status();
    }
    return InvalidModel(Label(node), ": ", known.name, " (input ", i, ", ",
                        ToString(operand.type),
                        ") must be known before the model runs: a constant, "
                        "or computed from constants and shapes");
  }
  return Status();
}

Status NoSuchOp(const Node& node) {
  std::string how;
  if (!kHasEveryOp) {
    how = StrCat(
        "; it was made with the ops of its own models: if docs/ops.md has this "
        "one, write 'extra_ops: [",
        node.op,
        "]' at the top of their deployment file and build the library again");
  }
  return Unsupported(
      "node '", node.name, "': this build has no op '", node.op, "'", how,
      "; a custom op is registered with MaceOpResolver::AddCustom and "
      "MaceEngineConfig::SetOpResolver before the engine is created "
      "(docs/custom_ops.md)");
}

AttrInfo* Find(std::vector<AttrInfo>& attrs, const char* name) {
  for (AttrInfo& attr : attrs) {
    if (attr.name == name) return &attr;
  }
  attrs.emplace_back();  // without a type: schema_test.cc finds it
  attrs.back().name = name;
  return &attrs.back();
}

}  // namespace

Op::Op(const char* its_name, int at_least, int at_most, int outputs,
       Status (*its_infer)(Node& node), std::vector<AttrInfo> (*list)())
    : name(its_name),
      min_inputs(at_least),
      max_inputs(at_most),
      num_outputs(outputs),
      infer(its_infer),
      attrs(list()) {}

Op::Op(Op&& other) = default;
Op::~Op() = default;

Op&& Op::Choices(const char* attr, const Texts& texts) && {
  Find(attrs, attr)->choices = ChoicesOf(texts);
  return std::move(*this);
}

Op&& Op::Choices(const char* attr, const NameTable& names) && {
  Find(attrs, attr)->choices = ChoicesOf(names);
  return std::move(*this);
}

Op&& Op::Choices(const char* attr,
                 std::initializer_list<NamedNumber> numbers) && {
  std::vector<Choice>& choices = Find(attrs, attr)->choices;
  for (const NamedNumber& named : numbers) {
    choices.push_back({named.name, named.number});
  }
  return std::move(*this);
}

Op&& Op::Choices(const char* attr, ListChoices list) && {
  Find(attrs, attr)->choices = list();
  return std::move(*this);
}

Op&& Op::NamesAxes(const char* attr) && {
  Find(attrs, attr)->names_axes = true;
  return std::move(*this);
}

Op&& Op::Knows(int input, const char* what) && {
  known_inputs.push_back({input, what});
  return std::move(*this);
}

Op&& Op::Takes(std::initializer_list<InputType> inputs) && {
  types = inputs;
  return std::move(*this);
}

Op&& Op::TakesWith(const char* attr, const Texts& values,
                   const InputType& input_0) && {
  types_with = {attr, ChoicesOf(values), input_0.types};
  return std::move(*this);
}

Op&& Op::IsView() && {
  is_view = true;
  return std::move(*this);
}

Op&& Op::IsPart(void (*offsets)(const Node& node, int64_t* offsets)) && {
  part_offsets = offsets;
  return std::move(*this);
}

Op&& Op::ReadsTypesOnly() && {
  reads_types_only = true;
  return std::move(*this);
}

Op&& Op::ReadsMany() && {
  reads_many = true;
  return std::move(*this);
}

Op&& Op::WithOrder(AxisOrder order) && {
  axis_order = order;
  return std::move(*this);
}

Op&& Op::WithQuantized(OnQuantized use) && {
  on_quantized = use;
  return std::move(*this);
}

std::vector<int64_t> ViewOffsets(const Node& node) {
  const Op* op = FindOp(node.op);  // null for fused nodes and converts
  const bool is_view = op != nullptr && op->is_view;
  std::vector<int64_t> offsets(node.outputs.size(), is_view ? 0 : -1);
  if (op != nullptr && !is_view && op->part_offsets != nullptr) {
    op->part_offsets(node, offsets.data());
  }
  return offsets;
}

const Op* FindOp(const std::string& name) { return Table().Find(name); }

std::vector<const Op*> AllOps() {
  std::vector<const Op*> ops;
  for (int i = 0; i < kNumOps; ++i) ops.push_back(&Table().At(i));
  return ops;
}

Status Infer(Node& node, int* unknown) {
  if (node.custom.state != nullptr) return node.custom.state->Prepare(node);
  const Op* op = FindOp(node.op);
  if (op == nullptr) return NoSuchOp(node);
  const int num_inputs = static_cast<int>(node.inputs.size());
  if (num_inputs < op->min_inputs || num_inputs > op->max_inputs) {
    return InvalidModel(Label(node), ": takes ",
                        CountOf(op->min_inputs, op->max_inputs),
                        " inputs, got ", num_inputs);
  }
  for (int i = 0; i < num_inputs; ++i) {
    if (!node.inputs[i].present() && !op->MayBeAbsent(i)) {
      return InvalidModel(Label(node), ": input ", i, " of ", num_inputs,
                          " is absent, and the op requires it");
    }
  }
  const int num_outputs = static_cast<int>(node.outputs.size());
  if (num_outputs < 1 ||
      (op->num_outputs != kMany && num_outputs > op->num_outputs)) {
    return InvalidModel(Label(node), ": has ", CountOf(1, op->num_outputs),
                        " outputs, got ", num_outputs);
  }
  MACE_RETURN_IF_ERROR(CheckChoices(*op, node));
  MACE_RETURN_IF_ERROR(CheckQuantizedInputs(*op, node));
  MACE_RETURN_IF_ERROR(CheckTypes(*op, node));
  MACE_RETURN_IF_ERROR(CheckKnown(*op, node, unknown));
  if (unknown != nullptr && *unknown >= 0) return Status();
  MACE_RETURN_IF_ERROR(op->infer(node));
  MACE_RETURN_IF_ERROR(QuantizeOutputs(*op, node));
  for (const TensorType& type : node.outputs) {
    if (type.shape.size() > kMaxDims) {
      return NodeError(node, "an output has ", type.shape.size(),
                       " dimensions, more than ", kMaxDims);
    }
    const auto bytes = CheckedBytes(type);
    if (!bytes.ok()) {
      return InvalidModel(Label(node), ": ", bytes.status().information());
    }
    MACE_ENSURE(type.dtype != DataType::kInvalid);
  }
  return Status();
}

}  // namespace mace
