// Drawing nodes until shape inference accepts one.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/new_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "mace/ops/common/op.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

constexpr int kTries = 80;
// Larger results are refused, because many small models find more than a few
// large ones.
constexpr int64_t kMaxElements = 1 << 18;

// An operand, which may not be part of the model yet.
struct Candidate {
  std::string name;      // "": absent, or not added yet
  TensorType type;       // if it is not added yet
  std::string contents;  // its bytes, if it is not added yet
};

bool IsQuantizedType(DataType type) {
  return type == DataType::kI8 || type == DataType::kU8 ||
         type == DataType::kI16;
}

// Scales as valid models have them: of the whole tensor, or, for some weights,
// along its first axis. REQUIRES: `type` is a quantized type.
QuantizationPtr PlausibleScales(const TensorType& type, bool per_axis,
                                Random& random) {
  Quantization q;
  const int64_t extent = type.shape.empty() ? 0 : type.shape[0];
  const int64_t count = per_axis && extent > 0 ? extent : 1;
  for (int64_t i = 0; i < count; ++i) {
    q.scales.push_back(0.01f + 0.1f * std::abs(random.Unit()));
  }
  if (count != 1) q.axis = 0;
  const bool shifted = count == 1 && random.Percent(50);
  const int64_t middle = type.dtype == DataType::kU8 ? 128 : 0;
  const auto zero =
      static_cast<int32_t>(shifted ? middle + random.Between(-20, 20) : middle);
  q.zero_points.assign(q.scales.size(), count == 1 ? zero : 0);
  return std::make_shared<const Quantization>(std::move(q));
}

TensorType AnyTensorType(const TensorType& x, Random& random) {
  TensorType type;
  type.dtype = random.Percent(60) ? x.dtype : AnyType(random);
  if (type.dtype == DataType::kInvalid) type.dtype = DataType::kF32;
  const int64_t channels = x.shape.empty() ? 1 : x.shape.back();
  const int64_t out = SmallExtent(random);
  const int64_t kernel = random.Between(1, 3);
  switch (random.Below(9)) {
    case 0:
      type.shape = x.shape;
      break;
    case 1:
      type.shape = {channels};
      break;
    case 2:
      break;  // a scalar
    case 3:
      type.shape = {out, channels, kernel, kernel};
      break;
    case 4:
      type.shape = {random.Between(1, 2), channels, kernel, kernel};
      break;
    case 5:
      type.shape = {out, channels};
      break;
    case 6:
      type.shape = {channels, out};
      break;
    case 7:
      type.shape = x.shape;
      for (int64_t& extent : type.shape) {
        if (random.Percent(30)) extent = random.Percent(70) ? 1 : out;
      }
      break;
    default:
      type.shape = SmallShape(random, static_cast<int>(random.Below(6)));
  }
  return type;
}

// Integers such as many ops need: a target shape, axes, starts, paddings.
Candidate IntVector(const TensorType& x, Random& random) {
  Candidate c;
  c.type.dtype = random.Percent(50) ? DataType::kI32 : DataType::kI64;
  static const std::vector<int> kFactors = {0, 1, 1, 1, 2};
  const int64_t rank = x.rank();
  const int64_t size =
      random.Percent(60) ? rank * random.Of(kFactors) : random.Below(6);
  std::vector<int64_t> values = x.shape;
  values.resize(static_cast<size_t>(size));
  const bool as_shape = random.Percent(40);
  for (int64_t& value : values) {
    if (!as_shape) value = random.Between(-1, 4);
    if (random.Percent(5)) value = AnyInt(random);
  }
  if (as_shape) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[random.Below(static_cast<int64_t>(i))]);
    }
  }
  c.type.shape = {size};
  if (size == 1 && random.Percent(50)) c.type.shape = {};
  c.contents = IntContents(c.type.dtype, values);
  return c;
}

Candidate AnyOperand(const Draft& draft, const TensorType& x, bool first,
                     Random& random) {
  Candidate c;
  if (first || random.Percent(35)) {
    c.name = draft.AnyTensor(random);
    return c;
  }
  if (random.Percent(8)) return c;  // absent
  if (random.Percent(35)) return IntVector(x, random);
  c.type = AnyTensorType(x, random);
  const auto elements = CheckedNumElements(c.type.shape);
  if (!elements.ok() || *elements > 4096 || !draft.HasSpace(c.type)) {
    c.type.shape = {1};
  }
  if (x.is_quantized() && IsQuantizedType(c.type.dtype)) {
    c.type.quantization = PlausibleScales(c.type, random.Percent(20), random);
  }
  c.contents = AnyContents(c.type.dtype, NumElements(c.type.shape), random);
  return c;
}

Operand OperandOf(const Draft& draft, const Candidate& c) {
  if (!c.name.empty() || c.type.dtype == DataType::kInvalid) {
    return draft.OperandOf(c.name);
  }
  return {c.type, c.contents.data()};
}

struct Trial {
  Node node;
  std::vector<Candidate> operands;
  bool accepted = false;
};

// Returns whether inference accepts the node, whose output types are then
// known.
bool Accept(const Draft& draft, Trial* trial) {
  trial->node.inputs.clear();
  for (const Candidate& c : trial->operands) {
    trial->node.inputs.push_back(OperandOf(draft, c));
  }
  if (!Infer(trial->node).ok()) return false;
  int64_t elements = 0;
  for (const TensorType& type : trial->node.outputs) {
    elements += NumElements(type.shape);
  }
  return elements <= kMaxElements;
}

Trial DrawNode(const Draft& draft, const Op& op, const std::string& x,
               Random& random) {
  Trial trial;
  trial.node.op = op.name;
  trial.node.name = "trial";
  const int least = op.min_inputs;
  const int most = std::min(op.max_inputs, least + 3);
  const int count = static_cast<int>(random.Between(least, most));
  TensorType first;
  for (int i = 0; i < count; ++i) {
    trial.operands.push_back(AnyOperand(draft, first, i == 0, random));
    if (i == 0) {
      if (!x.empty()) trial.operands[0].name = x;
      first = OperandOf(draft, trial.operands[0]).type;
    }
  }
  for (const AttrInfo& attr : op.attrs) {
    if (random.Percent(55)) {
      trial.node.attrs[attr.name] = PlausibleAttr(attr, random);
    }
  }
  const int outputs = op.num_outputs == kMany
                          ? static_cast<int>(random.Between(1, 4))
                          : op.num_outputs;
  trial.node.outputs.resize(static_cast<size_t>(outputs));
  if (op.on_quantized == OnQuantized::kComputes && random.Percent(70) &&
      (first.is_quantized() || std::strcmp(op.name, "Quantize") == 0)) {
    for (int i = 0; i < outputs; ++i) {
      trial.node.output_quantization.push_back(
          PlausibleScales(first, false, random));
    }
  }
  return trial;
}

// Writes the node into the model. Returns the name of its first output.
std::string Add(const Trial& trial, Draft* draft) {
  proto::OperatorDef* def = draft->net.add_op();
  def->set_type(trial.node.op);
  def->set_name(draft->NewName("node"));
  for (const Candidate& c : trial.operands) {
    const bool is_new = c.name.empty() && c.type.dtype != DataType::kInvalid;
    const bool fits = draft->HasSpace(static_cast<int64_t>(c.contents.size()));
    if (is_new && !fits) continue;
    def->add_input(is_new ? draft->AddWeight(c.type, c.contents) : c.name);
  }
  for (const auto& [name, value] : trial.node.attrs) {
    SetAttr(name, value, def->add_arg());
  }
  for (const TensorType& type : trial.node.outputs) {
    const std::string name = draft->NewName("value");
    def->add_output(name);
    if (trial.accepted) draft->types[name] = type;
  }
  for (const QuantizationPtr& q : trial.node.output_quantization) {
    WriteQuantization(q, def->add_output_quantization());
  }
  if (trial.accepted) Redeclare(draft->types, def);
  return def->output(0);
}

Trial DrawSoundNode(const Draft& draft, const std::string& x, Random& random) {
  const std::vector<const Op*> ops = AllOps();
  const Op& op = *random.Of(ops);
  const int tries = random.Percent(5) ? 1 : kTries;
  Trial trial;
  for (int i = 0; i < tries && !trial.accepted; ++i) {
    trial = DrawNode(draft, op, x, random);
    trial.accepted = Accept(draft, &trial);
  }
  return trial;
}

// Returns a tensor of the wanted type if there is one, else any tensor.
std::string TensorLike(const Draft& draft, const TensorType& wanted,
                       Random& random) {
  std::string name;
  for (int i = 0; i < 20; ++i) {
    name = draft.AnyTensor(random);
    const auto found = draft.types.find(name);
    if (found != draft.types.end() && found->second.dtype == wanted.dtype &&
        found->second.rank() == wanted.rank()) {
      break;
    }
  }
  return name;
}

}  // namespace

std::string AppendRandomNode(Draft* draft, Random& random) {
  const Trial trial = DrawSoundNode(*draft, "", random);
  const std::string made = Add(trial, draft);
  if (random.Percent(70)) draft->net.add_output_info()->set_name(made);
  return trial.node.op;
}

bool InsertRandomNode(Draft* draft, Random& random) {
  if (draft->net.op_size() == 0) return false;
  const int at = static_cast<int>(random.Below(draft->net.op_size()));
  if (draft->net.op(at).input_size() == 0) return false;
  const int input =
      static_cast<int>(random.Below(draft->net.op(at).input_size()));
  const std::string x = draft->net.op(at).input(input);
  if (x.empty()) return false;
  const std::string made = Add(DrawSoundNode(*draft, x, random), draft);
  draft->net.mutable_op(at)->set_input(input, made);
  // Moves the new node, which is the last, in front of the node that reads it.
  for (int i = draft->net.op_size() - 1; i > at; --i) {
    draft->net.mutable_op()->SwapElements(i, i - 1);
  }
  return true;
}

bool TransplantNode(const std::vector<const Seed*>& donors, Draft* draft,
                    Random& random) {
  if (donors.empty()) return false;
  const Seed& donor = *random.Of(donors);
  if (donor.net.op_size() == 0) return false;
  proto::OperatorDef def =
      donor.net.op(static_cast<int>(random.Below(donor.net.op_size())));
  const Draft source(donor);
  for (std::string& name : *def.mutable_input()) {
    const Operand operand = source.OperandOf(name);
    if (!operand.present()) continue;
    const auto* data = static_cast<const char*>(operand.data);
    const int64_t bytes = data != nullptr ? Bytes(operand.type) : 0;
    if (data != nullptr && bytes <= 4096 && draft->HasSpace(bytes)) {
      name = draft->AddWeight(operand.type, {data, data + bytes});
    } else {
      name = TensorLike(*draft, operand.type, random);
    }
  }
  Node node;
  for (std::string& name : *def.mutable_output()) {
    name = draft->NewName("value");
    node.outputs.emplace_back();
  }
  def.set_name(draft->NewName("node"));
  ForgetDeclared(&def);
  if (def.output_size() > 0) {
    draft->net.add_output_info()->set_name(def.output(0));
  }
  *draft->net.add_op() = std::move(def);
  return true;
}

Draft GrowModel(const Seed& empty, int max_nodes, Random& random) {
  Draft draft(empty);
  for (int64_t n = random.Between(1, 3); n > 0; --n) {
    TensorType type;
    type.dtype = random.Percent(70) ? DataType::kF32 : AnyType(random);
    static const std::vector<DataType> kQuantizedTypes = {
        DataType::kI8, DataType::kI8, DataType::kU8, DataType::kI16};
    if (random.Percent(10)) type.dtype = random.Of(kQuantizedTypes);
    static const std::vector<int> kRanks = {0, 1, 2, 3, 4, 4, 4, 5};
    type.shape = SmallShape(random, random.Of(kRanks));
    proto::TensorInfo* info = draft.net.add_input_info();
    info->set_name(draft.NewName("input"));
    info->mutable_dims()->Add(type.shape.begin(), type.shape.end());
    info->set_data_type(ToProto(type.dtype));
    if (IsQuantizedType(type.dtype) && random.Percent(80)) {
      type.quantization = PlausibleScales(type, false, random);
      WriteQuantization(type.quantization, info->mutable_quantization());
    }
    draft.types[info->name()] = type;
  }
  for (int64_t n = random.Between(1, max_nodes); n > 0; --n) {
    const Trial trial = DrawSoundNode(draft, "", random);
    if (!trial.accepted && random.Percent(95)) continue;
    const std::string made = Add(trial, &draft);
    if (random.Percent(70)) draft.net.add_output_info()->set_name(made);
  }
  if (draft.net.op_size() == 0) AppendRandomNode(&draft, random);
  if (draft.net.output_info_size() == 0) {
    draft.net.add_output_info()->set_name(
        draft.net.op(draft.net.op_size() - 1).output(0));
  }
  return draft;
}

}  // namespace mace::fuzz
