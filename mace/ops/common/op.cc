// Finding ops and the checks common to all of them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/op.h"

#include <map>

namespace mace {
namespace {

const std::map<std::string, Op>& Table() {
  static const auto* table = [] {
    auto* t = new std::map<std::string, Op>;
    for (int i = 0; i < kNumOps; ++i) t->emplace(kOps[i].name, kOps[i].op());
    return t;
  }();
  return *table;
}

std::string CountOf(int min, int max) {
  if (min == max) return std::to_string(min);
  if (max == kMany) return std::to_string(min) + " or more";
  return std::to_string(min) + " to " + std::to_string(max);
}

Status CheckKnown(const Op& op, const Node& node) {
  for (const KnownInput& known : op.known_inputs) {
    const size_t i = static_cast<size_t>(known.index);
    if (!node.has_input(i)) continue;
    const Operand& operand = node.inputs[i];
    if (operand.data != nullptr) continue;
    MACE_ASSIGN_OR_RETURN(const int64_t elements,
                          CheckedNumElements(operand.type.shape));
    if (elements == 0) continue;
    return InvalidModel(Label(node) + ": " + known.name + " (input " +
                        std::to_string(i) + ", " + ToString(operand.type) +
                        ") must be known before the model runs: a constant, "
                        "or computed from constants and shapes");
  }
  return Status();
}

}  // namespace

const Op* FindOp(const std::string& name) {
  const auto it = Table().find(name);
  return it == Table().end() ? nullptr : &it->second;
}

std::vector<const Op*> AllOps() {
  std::vector<const Op*> ops;
  for (const auto& [name, op] : Table()) ops.push_back(&op);
  return ops;
}

Status Infer(Node& node) {
  const Op* op = FindOp(node.op);
  if (op == nullptr) {
    return Unsupported("node '" + node.name + "': this build has no op '" +
                       node.op + "'");
  }
  const int num_inputs = static_cast<int>(node.inputs.size());
  if (num_inputs < op->min_inputs || num_inputs > op->max_inputs) {
    return InvalidModel(Label(node) + ": takes " +
                        CountOf(op->min_inputs, op->max_inputs) +
                        " inputs, got " + std::to_string(num_inputs));
  }
  for (int i = 0; i < num_inputs; ++i) {
    if (!node.inputs[i].present() && !op->MayBeAbsent(i)) {
      return InvalidModel(Label(node) + ": input " + std::to_string(i) +
                          " of " + std::to_string(num_inputs) +
                          " is absent, and the op requires it");
    }
  }
  const int num_outputs = static_cast<int>(node.outputs.size());
  if (num_outputs < 1 ||
      (op->num_outputs != kMany && num_outputs > op->num_outputs)) {
    return InvalidModel(Label(node) + ": has " + CountOf(1, op->num_outputs) +
                        " outputs, got " + std::to_string(num_outputs));
  }
  MACE_RETURN_IF_ERROR(CheckKnown(*op, node));
  MACE_RETURN_IF_ERROR(op->infer(node));
  for (const TensorType& type : node.outputs) {
    const auto bytes = CheckedBytes(type);
    if (!bytes.ok()) {
      return InvalidModel(Label(node) + ": " + bytes.status().information());
    }
    MACE_ENSURE(type.dtype != DataType::kInvalid);
  }
  return Status();
}

}  // namespace mace
