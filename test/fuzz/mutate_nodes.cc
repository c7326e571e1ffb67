// Mutations of a model's nodes.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/ops/common/op.h"
#include "test/fuzz/mutate.h"
#include "test/fuzz/new_nodes.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

proto::OperatorDef* AnyNode(Draft* draft, Random& random) {
  return AnyOf(draft->net.mutable_op(), random);
}

// Returns a node with operands, and the index of one of them.
std::pair<proto::OperatorDef*, int> AnyOperand(Draft* draft, Random& random) {
  for (int i = 0; i < 8; ++i) {
    proto::OperatorDef* node = AnyNode(draft, random);
    if (node == nullptr) break;
    const int size = node->input_size();
    if (size > 0) return {node, static_cast<int>(random.Below(size))};
  }
  return {nullptr, 0};
}

std::pair<proto::OperatorDef*, proto::Argument*> AnyArgument(Draft* draft,
                                                             Random& random) {
  for (int i = 0; i < 8; ++i) {
    proto::OperatorDef* node = AnyNode(draft, random);
    if (node == nullptr) break;
    if (node->arg_size() > 0) return {node, AnyOf(node->mutable_arg(), random)};
  }
  return {nullptr, nullptr};
}

bool ChangeAttr(const Donors&, Draft* draft, Random& random) {
  const auto [node, arg] = AnyArgument(draft, random);
  if (arg == nullptr) return false;
  MutateAttr(random, arg);
  return true;
}

bool RetypeAttr(const Donors&, Draft* draft, Random& random) {
  const auto [node, arg] = AnyArgument(draft, random);
  if (arg == nullptr) return false;
  arg->set_type(static_cast<proto::Argument::Type>(random.Below(6)));
  if (random.Percent(50)) MutateAttr(random, arg);
  return true;
}

bool DropAttr(const Donors&, Draft* draft, Random& random) {
  const auto [node, arg] = AnyArgument(draft, random);
  if (arg == nullptr) return false;
  arg->Swap(node->mutable_arg(node->arg_size() - 1));
  node->mutable_arg()->RemoveLast();
  return true;
}

bool RepeatOrRenameAttr(const Donors&, Draft* draft, Random& random) {
  const auto [node, arg] = AnyArgument(draft, random);
  if (arg == nullptr) return false;
  if (random.Percent(50)) {
    const proto::Argument copy = *arg;
    *node->add_arg() = copy;
  } else {
    arg->set_name(random.Percent(50) ? "" : "unheard_of");
  }
  return true;
}

// Adds an attribute that the op has and the node does not give.
bool AddAttr(const Donors&, Draft* draft, Random& random) {
  proto::OperatorDef* node = AnyNode(draft, random);
  const Op* op = node == nullptr ? nullptr : FindOp(node->type());
  if (op == nullptr) return false;
  const std::vector<AttrInfo>& names = op->attrs;
  if (names.empty()) return false;
  const AttrInfo& attr = random.Of(names);
  for (const proto::Argument& arg : node->arg()) {
    if (arg.name() == attr.name) return false;
  }
  proto::Argument* arg = node->add_arg();
  SetAttr(attr.name, PlausibleAttr(attr, random), arg);
  if (random.Percent(30)) MutateAttr(random, arg);
  return true;
}

bool EmptyOperand(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr) return false;
  node->set_input(i, "");
  return true;
}

bool RemoveOperand(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr) return false;
  node->mutable_input()->DeleteSubrange(i, 1);
  return true;
}

bool SwapOperands(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr || node->input_size() < 2) return false;
  const int j = static_cast<int>(random.Below(node->input_size()));
  node->mutable_input()->SwapElements(i, j);
  return true;
}

// The new operand often has another shape or type; sometimes a later node
// computes it.
bool RedirectOperand(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr) return false;
  const proto::OperatorDef* maker = AnyNode(draft, random);
  if (random.Percent(20) && maker->output_size() > 0) {
    node->set_input(i, maker->output(0));
  } else {
    node->set_input(i, draft->AnyTensor(random));
  }
  return true;
}

bool RepeatOperand(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr) return false;
  const std::string name = node->input(i);
  node->add_input(random.Percent(30) ? "" : name);
  const int j = static_cast<int>(random.Below(node->input_size()));
  node->mutable_input()->SwapElements(node->input_size() - 1, j);
  return true;
}

// Replaces an operand by a weight of its type, or of a similar one.
bool ReplaceByWeight(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr) return false;
  TensorType type = draft->OperandOf(node->input(i)).type;
  if (type.dtype == DataType::kInvalid) type.dtype = DataType::kF32;
  if (random.Percent(15)) type.dtype = AnyType(random);
  for (int64_t& extent : type.shape) {
    if (random.Percent(20)) extent = SmallExtent(random);
  }
  if (random.Percent(10)) type.shape.push_back(1);
  if (random.Percent(10) && !type.shape.empty()) type.shape.pop_back();
  if (!draft->HasSpace(type)) return false;
  const int64_t count = NumElements(type.shape);
  node->set_input(
      i, draft->AddWeight(type, AnyContents(type.dtype, count, random)));
  return true;
}

bool ExchangeOp(const Donors&, Draft* draft, Random& random) {
  proto::OperatorDef* node = AnyNode(draft, random);
  if (node == nullptr) return false;
  node->set_type(random.Of(AllOps())->name);
  if (random.Percent(5)) node->set_type(random.Percent(50) ? "" : "Unheard");
  if (random.Percent(60)) node->clear_arg();
  return true;
}

bool DropNode(const Donors&, Draft* draft, Random& random) {
  if (draft->net.op_size() == 0) return false;
  const int at = static_cast<int>(random.Below(draft->net.op_size()));
  const proto::OperatorDef node = draft->net.op(at);
  draft->net.mutable_op()->DeleteSubrange(at, 1);
  if (random.Percent(15) || node.input_size() == 0 || node.output_size() == 0) {
    return true;
  }
  // The nodes that read its output now read its input.
  for (proto::OperatorDef& reader : *draft->net.mutable_op()) {
    for (std::string& name : *reader.mutable_input()) {
      if (name == node.output(0)) name = node.input(0);
    }
  }
  for (proto::TensorInfo& info : *draft->net.mutable_output_info()) {
    if (info.name() == node.output(0)) info.set_name(node.input(0));
  }
  return true;
}

bool RepeatNode(const Donors&, Draft* draft, Random& random) {
  const proto::OperatorDef* node = AnyNode(draft, random);
  if (node == nullptr) return false;
  proto::OperatorDef copy = *node;
  copy.set_name(draft->NewName("node"));
  for (std::string& name : *copy.mutable_output()) {
    name = draft->NewName("value");
  }
  if (copy.output_size() > 0) {
    draft->net.add_output_info()->set_name(copy.output(0));
  }
  *draft->net.add_op() = std::move(copy);
  return true;
}

// Nodes may then read what later nodes compute, even in cycles.
bool ReorderNodes(const Donors&, Draft* draft, Random& random) {
  const int size = draft->net.op_size();
  if (size < 2) return false;
  draft->net.mutable_op()->SwapElements(static_cast<int>(random.Below(size)),
                                        static_cast<int>(random.Below(size)));
  return true;
}

bool ReadOwnOutput(const Donors&, Draft* draft, Random& random) {
  const auto [node, i] = AnyOperand(draft, random);
  if (node == nullptr || node->output_size() == 0) return false;
  node->set_input(i, node->output(0));
  return true;
}

bool ChangeNodeOutputs(const Donors&, Draft* draft, Random& random) {
  proto::OperatorDef* node = AnyNode(draft, random);
  if (node == nullptr) return false;
  if (random.Percent(50) || node->output_size() == 0) {
    node->add_output(draft->NewName("value"));
  } else if (random.Percent(50)) {
    node->mutable_output()->RemoveLast();
  } else {
    node->set_output(0, random.Percent(30) ? "" : draft->AnyTensor(random));
  }
  return true;
}

bool RenameNode(const Donors&, Draft* draft, Random& random) {
  proto::OperatorDef* node = AnyNode(draft, random);
  if (node == nullptr) return false;
  static const std::vector<std::string> kNames = {
      "", "#0", "\"\n\\", "\xff\xfe", std::string("a\0b", 3), "trial"};
  node->set_name(random.Percent(30) ? AnyNode(draft, random)->name()
                                    : random.Of(kNames));
  return true;
}

bool DeclareTypes(const Donors&, Draft* draft, Random& random) {
  proto::OperatorDef* node = AnyNode(draft, random);
  if (node == nullptr) return false;
  proto::OutputShape* shape = node->add_output_shape();
  for (int64_t n = random.Below(5); n > 0; --n) {
    shape->add_dims(AnyInt(random));
  }
  node->add_output_type(ToProto(AnyType(random)));
  return true;
}

bool Append(const Donors&, Draft* draft, Random& random) {
  AppendRandomNode(draft, random);
  return true;
}

bool Insert(const Donors&, Draft* draft, Random& random) {
  return InsertRandomNode(draft, random);
}

bool Transplant(const Donors& donors, Draft* draft, Random& random) {
  return TransplantNode(donors, draft, random);
}

}  // namespace

const std::vector<NamedMutation>& NodeMutations() {
  static const auto* mutations = new std::vector<NamedMutation>{
      {"attr", 16, ChangeAttr},
      {"attr_type", 2, RetypeAttr},
      {"attr_drop", 4, DropAttr},
      {"attr_name", 1, RepeatOrRenameAttr},
      {"attr_add", 8, AddAttr},
      {"operand_empty", 4, EmptyOperand},
      {"operand_remove", 3, RemoveOperand},
      {"operand_swap", 3, SwapOperands},
      {"operand_other", 6, RedirectOperand},
      {"operand_repeat", 4, RepeatOperand},
      {"operand_weight", 8, ReplaceByWeight},
      {"op", 4, ExchangeOp},
      {"node_drop", 4, DropNode},
      {"node_repeat", 3, RepeatNode},
      {"node_order", 2, ReorderNodes},
      {"node_cycle", 1, ReadOwnOutput},
      {"node_outputs", 2, ChangeNodeOutputs},
      {"node_name", 2, RenameNode},
      {"node_declared", 1, DeclareTypes},
      {"append", 10, Append},
      {"insert", 8, Insert},
      {"transplant", 8, Transplant},
  };
  return *mutations;
}

}  // namespace mace::fuzz
