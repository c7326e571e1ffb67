// Finds what waits for data, and takes the nodes of branches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/control_flow.h"

#include <algorithm>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/plan/passes/remove_dead_nodes.h"

namespace mace {
namespace {

// A model whose branches nest could otherwise grow exponentially: they may make
// it so many times larger than its file, or as large as this if that is more.
constexpr int64_t kMaxGrowth = 64;
constexpr int64_t kSmallGrowth = 1 << 16;
// Nodes and values count once for so many bytes of their names, which grow with
// the names of the nodes around them.
constexpr size_t kNameBytesOfUnit = 64;

int64_t UnitsOf(const std::string& name) {
  return 1 + static_cast<int64_t>(name.size() / kNameBytesOfUnit);
}

// The inputs of a node that must be known before it is planned.
std::vector<int> KnownInputsOf(const Node& node) {
  const Op* op = node.custom.state == nullptr ? FindOp(node.op) : nullptr;
  std::vector<int> known;
  if (op == nullptr) return known;
  for (const KnownInput& input : op->known_inputs) known.push_back(input.index);
  return known;
}

}  // namespace

void CompleteDeferred(DeferredSubgraph& deferred) {
  Graph& graph = deferred.graph;
  enum : uint8_t { kMade = 1, kRead = 2, kDetermines = 4 };
  std::vector<uint8_t> use(graph.values.size());
  for (const GraphNode& g : graph.nodes) {
    for (int id : g.outputs) use[id] |= kMade;
  }
  graph.outputs.erase(
      std::remove_if(graph.outputs.begin(), graph.outputs.end(),
                     [&](int id) { return (use[id] & kMade) == 0; }),
      graph.outputs.end());
  RemoveDeadNodes(graph);
  for (const GraphNode& g : graph.nodes) {
    for (int id : g.inputs) {
      if (id >= 0) use[id] |= kRead;
    }
    for (int i : KnownInputsOf(g.node)) {
      const size_t index = static_cast<size_t>(i);
      if (index < g.inputs.size() && g.inputs[index] >= 0) {
        use[g.inputs[index]] |= kDetermines;
      }
    }
  }
  graph.inputs.clear();
  deferred.shape_determining.clear();
  for (size_t id = 0; id < use.size(); ++id) {
    if ((use[id] & kMade) != 0 || (use[id] & kRead) == 0) continue;
    if (graph.values[id].is_constant()) continue;
    graph.inputs.push_back(static_cast<int>(id));
    if ((use[id] & kDetermines) != 0) {
      deferred.shape_determining.push_back(static_cast<int>(id));
    }
  }
}

const Graph* SubgraphOf(const Graph& graph, const Node& node,
                        const char* attribute) {
  const auto attr = node.attrs.find(attribute);
  if (attr == node.attrs.end() || graph.subgraphs == nullptr) return nullptr;
  const auto* name = std::get_if<std::string>(&attr->second);
  if (name == nullptr) return nullptr;
  const auto found = graph.subgraphs->find(*name);
  return found == graph.subgraphs->end() ? nullptr : &found->second;
}

namespace {

// Returns a branch of an If, with the right number of inputs and outputs.
Result<const Graph*> BranchOf(const GraphNode& g, const char* attribute,
                              const Graph& graph) {
  const Graph* branch = SubgraphOf(graph, g.node, attribute);
  if (branch == nullptr) {
    return InvalidModel(Label(g.node), ": its attribute ", attribute,
                        " names no subgraph of the model");
  }
  if (branch->inputs.size() + 1 != g.inputs.size() ||
      branch->outputs.size() != g.outputs.size()) {
    return InvalidModel(Label(g.node), ": ", attribute, " has ",
                        branch->inputs.size(), " inputs and ",
                        branch->outputs.size(),
                        " outputs; after the "
                        "condition, the node has ",
                        g.inputs.size() - 1, " and ", g.outputs.size());
  }
  return branch;
}

}  // namespace

BranchBudget::BranchBudget(const Graph& graph) {
  auto in_file = static_cast<int64_t>(graph.values.size());
  if (graph.subgraphs != nullptr) {
    for (const auto& [name, subgraph] : *graph.subgraphs) {
      in_file +=
          static_cast<int64_t>(subgraph.values.size() + subgraph.nodes.size());
    }
  }
  most_ = left_ = std::max(kSmallGrowth, kMaxGrowth * in_file);
}

Status BranchBudget::Take(const GraphNode& g, const Graph& branch) {
  for (const GraphNode& node : branch.nodes) {
    left_ -= UnitsOf(node.node.name) + UnitsOf(g.node.name);
  }
  for (const Value& value : branch.values) {
    left_ -= UnitsOf(value.name) + UnitsOf(g.node.name);
  }
  if (left_ >= 0) return Status();
  return InvalidModel(Label(g.node), ": with this branch, branches inside ",
                      "branches add more than ", most_ / 2,
                      " values and nodes to the model, ", kMaxGrowth,
                      " times those of its file");
}

Result<std::vector<GraphNode>> TakeBranch(const GraphNode& g, bool condition,
                                          Graph& graph, BranchBudget& budget) {
  const char* attribute = condition ? "then_branch" : "else_branch";
  MACE_ASSIGN_OR_RETURN(const Graph* const branch,
                        BranchOf(g, attribute, graph));
  MACE_RETURN_IF_ERROR(budget.Take(g, *branch));
  std::vector<int> ids(branch->values.size(), -1);  // by value of the branch
  for (size_t i = 0; i < branch->inputs.size(); ++i) {
    ids[branch->inputs[i]] = g.inputs[i + 1];
    if (g.inputs[i + 1] < 0) {
      return InvalidModel(Label(g.node), ": input ", i + 1, " is absent");
    }
  }
  for (size_t i = 0; i < branch->outputs.size(); ++i) {
    const Value& value = branch->values[branch->outputs[i]];
    if (value.is_constant()) {
      Value& output = graph.values[g.outputs[i]];
      const std::string name = output.name;
      output = value;
      output.name = name;
      continue;
    }
    int& id = ids[branch->outputs[i]];
    if (id >= 0) {
      return InvalidModel(Label(g.node), ": output ", i, " of its ", attribute,
                          " is an input of it; an Identity makes it a tensor "
                          "of its own");
    }
    id = g.outputs[i];
  }
  for (size_t v = 0; v < ids.size(); ++v) {
    if (ids[v] >= 0) continue;
    ids[v] = static_cast<int>(graph.values.size());
    graph.values.push_back(branch->values[v]);
    if (!branch->values[v].is_constant()) {
      graph.values.back().name =
          StrCat(g.node.name, '/', branch->values[v].name);
    }
  }
  std::vector<GraphNode> nodes = branch->nodes;
  for (GraphNode& node : nodes) {
    node.node.name = StrCat(g.node.name, '/', node.node.name);
    for (int& id : node.inputs) id = id < 0 ? id : ids[id];
    for (int& id : node.outputs) id = ids[id];
  }
  return nodes;
}

int64_t CarriedBy(const Node& loop) {
  const auto attr = loop.attrs.find("carried");
  if (attr == loop.attrs.end()) return 0;
  const auto* carried = std::get_if<int64_t>(&attr->second);
  return carried == nullptr ? -1 : *carried;
}

Status CheckLoop(const Graph& graph, const GraphNode& g) {
  const Graph* body = SubgraphOf(graph, g.node, "body");
  if (body == nullptr) {
    return InvalidModel(Label(g.node),
                        ": its attribute body names no subgraph "
                        "of the model");
  }
  const int64_t carried = CarriedBy(g.node);
  const auto inputs = static_cast<int64_t>(g.inputs.size());
  const auto outputs = static_cast<int64_t>(g.outputs.size());
  if (carried < 0 || carried > inputs - 2 || carried > outputs) {
    return InvalidModel(Label(g.node), ": cannot carry ", carried,
                        " values with ", inputs, " inputs and ", outputs,
                        " outputs");
  }
  if (std::count(g.inputs.begin(), g.inputs.end(), -1) > 0 ||
      body->inputs.size() != g.inputs.size() ||
      body->outputs.size() != g.outputs.size() + 1) {
    return InvalidModel(Label(g.node), ": its body has ", body->inputs.size(),
                        " inputs and ", body->outputs.size(),
                        " outputs; it must have ", inputs, " and ", outputs + 1,
                        ", and no input may be absent");
  }
  return Status();
}

}  // namespace mace
