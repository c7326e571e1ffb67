// Finds the Concat that adds rows to a state, and replaces it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/append_to_state.h"

#include <algorithm>
#include <utility>

#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/ops/append.h"
#include "mace/ops/common/op.h"
#include "mace/ops/concat.h"
#include "mace/ops/update_kv_cache.h"

namespace mace {
namespace {

// Returns the node that makes a value, or null.
template <typename G>
auto* MakerOf(int id, G& graph) {
  for (auto& g : graph.nodes) {
    if (Contains(g.outputs, id)) return &g;
  }
  return static_cast<decltype(&graph.nodes[0])>(nullptr);
}

// Returns the value of which the value is a copy.
int WithoutCopies(int id, const Graph& graph) {
  const GraphNode* g = MakerOf(id, graph);
  while (g != nullptr && g->node.op == "Identity" && !g->inputs.empty()) {
    id = g->inputs[0];
    g = MakerOf(id, graph);
  }
  return id;
}

int CountReaders(int id, const Graph& graph) {
  auto count = std::count(graph.outputs.begin(), graph.outputs.end(), id);
  for (const GraphNode& g : graph.nodes) {
    // A node that needs only the shape reads no element.
    const Op* op = FindOp(g.node.op);
    if (op != nullptr && op->reads_types_only) continue;
    count += std::count(g.inputs.begin(), g.inputs.end(), id);
  }
  return static_cast<int>(count);
}

bool JoinsAlong(const Node& node, int axis, int rank) {
  const Result<ConcatAttrs> attrs = ReadAttrs<ConcatAttrs>(node);
  return attrs.ok() && (attrs->axis == axis || attrs->axis == axis - rank);
}

int AddValue(const std::string& name, const TensorType& type, Graph& graph) {
  Value value;
  value.name = name;
  value.type = type;
  while (AnyOf(graph.values,
               [&](const Value& v) { return v.name == value.name; })) {
    value.name += '_';
  }
  graph.values.push_back(std::move(value));
  return static_cast<int>(graph.values.size()) - 1;
}

}  // namespace

std::optional<AppendedState> AppendToState(int value, int next, int axis,
                                           const TensorType& cache,
                                           Graph* graph) {
  std::vector<int>& outputs = graph->outputs;
  if (FindOp("Append") == nullptr ||
      std::count(outputs.begin(), outputs.end(), next) != 1) {
    return std::nullopt;
  }
  GraphNode* const g = MakerOf(WithoutCopies(next, *graph), *graph);
  // What else reads elements would find blocks of rows with free capacity
  // behind each.
  if (g == nullptr || g->node.op != "Concat" || g->inputs.size() != 2 ||
      g->inputs[0] != value || CountReaders(value, *graph) != 1 ||
      !JoinsAlong(g->node, axis, cache.rank())) {
    return std::nullopt;
  }
  const std::string name = graph->values[value].name;
  AppendedState ids;
  ids.cache = AddValue(StrCat(name, "/cache"), cache, *graph);
  ids.next = AddValue(StrCat(name, "/next_cache"), {}, *graph);
  ids.count = AddValue(StrCat(name, "/rows"), {}, *graph);
  g->node.op = "Append";
  g->node.output_quantization.clear();
  g->inputs.insert(g->inputs.begin(), ids.cache);
  g->outputs = {ids.next, ids.count, g->outputs[0]};
  g->node.outputs.resize(g->outputs.size());
  graph->inputs.push_back(ids.cache);
  std::replace(outputs.begin(), outputs.end(), next, ids.next);
  outputs.push_back(ids.count);
  return ids;
}

bool IsUpdatedInPlace(int value, int next, const Graph& graph) {
  const GraphNode* const g = MakerOf(next, graph);
  return g != nullptr && g->node.op == "UpdateKvCache" &&
         g->inputs.size() > kKvCache && g->inputs[kKvCache] == value &&
         CountReaders(value, graph) == 1;
}

int64_t RowsOfState(const Graph& graph, const std::string& next) {
  for (const GraphNode& g : graph.nodes) {
    if (g.node.op != "Append" ||
        graph.values[g.outputs[kAppendedCache]].name != next) {
      continue;
    }
    const Result<AppendExtents> e = ResolveAppend(g.node);
    return e.ok() ? e->all() : -1;
  }
  return -1;
}

}  // namespace mace
