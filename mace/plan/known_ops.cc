// Registering ops, and finding those of a graph.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/known_ops.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/plan/passes/remove_dead_nodes.h"

namespace mace {

Status KnownOps::AddCustom(const mace_op_registration_t& op) {
  // Before there is an object that would release `user`.
  if (op.struct_size >= sizeof(op) && op.name != nullptr &&
      custom_.count(op.name) > 0) {
    return InvalidArgument("custom op '", op.name, "' is registered already");
  }
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<const CustomOp> made,
                        CustomOp::Create(op));
  custom_[made->name()] = made;
  return Status();
}

Status KnownOps::AddBuiltin(const std::string& name) {
  if (FindOp(name) == nullptr) {
    return InvalidArgument("AddBuiltin: this library has no op '", name,
                           "'; docs/ops.md lists all, and a library made by "
                           "'converter.py build' has those of its models");
  }
  builtin_.insert(name);
  return Status();
}

Status KnownOps::Resolve(Graph& graph) const {
  if (builtin_.empty() && custom_.empty()) return Status();
  RemoveDeadNodes(graph);
  const Node* first = nullptr;
  std::set<std::string> missing;
  for (const GraphNode& g : graph.nodes) {
    const std::string& op = g.node.op;
    // What the library does not have either is refused by shape inference.
    if (builtin_.empty() || builtin_.count(op) > 0 || custom_.count(op) > 0 ||
        FindOp(op) == nullptr) {
      continue;
    }
    if (first == nullptr) first = &g.node;
    missing.insert(op);
  }
  if (first != nullptr) {
    std::string lines;
    for (const std::string& op : missing) {
      lines += StrCat(" resolver.AddBuiltin(\"", op, "\");");
    }
    return Unsupported(Label(*first),
                       ": the engine's MaceOpResolver does not have this op; "
                       "the model also needs",
                       lines);
  }
  for (GraphNode& g : graph.nodes) {
    const auto op = custom_.find(g.node.op);
    if (op == custom_.end()) continue;
    MACE_ASSIGN_OR_RETURN(
        g.node.custom.state,
        op->second->MakeState(op->second, g.node, g.inputs.size()));
  }
  return Status();
}

}  // namespace mace
