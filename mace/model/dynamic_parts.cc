// Verifies and adds subgraphs and variables.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/model/later_parts.h"
#include "mace/model/open_dims.h"
#include "mace/model/text.h"

namespace mace {
namespace {

// Branches and loops within others. Plans follow them by recursion.
constexpr int kMaxDepth = 64;

int DepthOf(const stored::Subgraph& subgraph,
            const std::map<std::string_view, int>& depths) {
  int depth = 0;
  for (const stored::OperatorDef& op : subgraph.op) {
    for (const stored::Argument& arg : op.arg) {
      if (arg.type != stored::Argument::SUBGRAPH) continue;
      depth = std::max(depth, depths.find(arg.s)->second);
    }
  }
  return depth + 1;
}

}  // namespace

Status CheckDynamic(const stored::NetDef&) { return Status(); }

Status AddSubgraphs(const stored::NetDef& net, const GraphBuilder& weights,
                    std::set<std::string_view>* names, Subgraphs* subgraphs) {
  std::map<std::string_view, int> depths;
  for (const stored::Subgraph& subgraph : net.subgraphs) {
    if (subgraph.name.empty()) return InvalidModel("a subgraph has no name");
    const std::string what = StrCat("subgraph ", Quoted(subgraph.name));
    MACE_RETURN_IF_ERROR(CheckText(subgraph.name, what, ": the name"));
    GraphBuilder builder(&weights, names);
    const auto build = [&] {
      MACE_RETURN_IF_ERROR(builder.AddInputs(subgraph.input_info, "input"));
      MACE_RETURN_IF_ERROR(builder.AddNodes(subgraph.op));
      return builder.AddOutputs(subgraph.output_info, "output", "it");
    };
    const Status status = build();
    if (!status.ok()) {
      return Status(status.code(), StrCat(what, ": ", status.information()));
    }
    if (!names->insert(subgraph.name).second) {
      return InvalidModel(what, ": one of that name is there already");
    }
    const int depth = DepthOf(subgraph, depths);
    if (depth > kMaxDepth) {
      return InvalidModel(what, ": branches and loops nest more than ",
                          kMaxDepth, " levels deep in it");
    }
    depths[subgraph.name] = depth;
    (*subgraphs)[std::string(subgraph.name)] = std::move(builder.graph);
  }
  return Status();
}

Status AddVariables(const stored::NetDef& net, GraphBuilder* graph) {
  for (const stored::Variable& variable : net.variables) {
    const stored::TensorInfo& tensor = variable.tensor;
    const std::string what = StrCat("variable ", Quoted(tensor.name));
    OpenDims open;
    MACE_ASSIGN_OR_RETURN(const int id,
                          graph->AddSource(tensor, "variable", &open));
    const bool grows = HasOpenDims(open);
    if (grows) graph->open_dims[id] = open;
    if (!variable.initial.has_value()) continue;
    if (!graph->IsWeight(*variable.initial)) {
      return InvalidModel(what, ": its first value ", Quoted(*variable.initial),
                          " is no weight");
    }
    MACE_ASSIGN_OR_RETURN(const TensorType* initial,
                          graph->Find(*variable.initial, what));
    const TensorType& type = graph->graph.values[id].type;
    const bool fits =
        grows ? initial->dtype == type.dtype && MayBe(open, initial->shape)
              : *initial == type;
    if (!fits) {
      return InvalidModel(what, ": is ", ToString(type),
                          ", its first value is ", ToString(*initial));
    }
  }
  return Status();
}

namespace {

// What a value of the graph is.
enum Use : uint8_t { kMade = 1, kOutput = 2, kNext = 4 };

std::vector<uint8_t> UsesOf(const Graph& graph) {
  std::vector<uint8_t> uses(graph.values.size());
  for (const GraphNode& g : graph.nodes) {
    for (const int id : g.outputs) uses[id] |= kMade;
  }
  for (const int id : graph.outputs) uses[id] |= kOutput;
  return uses;
}

// What becomes the value of a variable is made by a node and is nothing else of
// the model, so that the node can write to where an engine wants it.
Status CheckUse(uint8_t use, std::string_view next, const std::string& what) {
  constexpr char kCure[] = "; put an Identity between them";
  if ((use & kMade) == 0) {
    return InvalidModel(what, ": its next value ", Quoted(next),
                        " is made by no node", kCure);
  }
  if ((use & (kOutput | kNext)) == 0) return Status();
  return InvalidModel(what, ": its next value ", Quoted(next), " is ",
                      (use & kOutput) != 0 ? "an output of the model"
                                           : "that of another variable",
                      ", too", kCure);
}

}  // namespace

Result<std::vector<StateVariable>> ReadVariables(const stored::NetDef& net,
                                                 const GraphBuilder& graph) {
  std::vector<StateVariable> result;
  if (net.variables.empty()) return result;
  std::map<std::string_view, int> ids;
  for (const Value& value : graph.graph.values) {
    ids.emplace(value.name, static_cast<int>(ids.size()));
  }
  std::vector<uint8_t> uses = UsesOf(graph.graph);
  for (const stored::Variable& variable : net.variables) {
    const std::string_view name = variable.tensor.name;
    const std::string what = StrCat("variable ", Quoted(name));
    if (!variable.next.has_value()) {
      return InvalidModel(what, ": nothing becomes its value");
    }
    MACE_ASSIGN_OR_RETURN(const TensorType* type, graph.Find(name, what));
    MACE_ASSIGN_OR_RETURN(const TensorType* next,
                          graph.Find(*variable.next, what));
    const bool grows = graph.open_dims.count(ids.find(name)->second) > 0;
    if (next != nullptr && !grows && !(*next == *type)) {
      return InvalidModel(what, ": is ", ToString(*type),
                          ", its next value is ", ToString(*next));
    }
    StateVariable state;
    state.value = ids.find(name)->second;
    state.next = ids.find(*variable.next)->second;
    if (variable.initial.has_value())
      state.initial = ids.find(*variable.initial)->second;
    MACE_RETURN_IF_ERROR(CheckUse(uses[state.next], *variable.next, what));
    uses[state.next] |= kNext;
    result.push_back(state);
  }
  return result;
}

void AddStates(const std::vector<StateVariable>& states, Graph* graph) {
  for (const StateVariable& state : states) {
    graph->inputs.push_back(state.value);
    graph->outputs.push_back(state.next);
  }
}

}  // namespace mace
