// Rewrites the readers of what Append joins.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/read_from_kv_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mace/base/search.h"
#include "mace/ops/append.h"
#include "mace/ops/attention.h"
#include "mace/ops/common/op.h"

namespace mace {
namespace {

// Whether input `i` of the node, a tensor of this rank, has its rows along
// `axis` and may have more of them than count.
bool TakesCache(const Node& node, size_t i, int rank, int axis) {
  if (node.op != "Attention" || (i != 1 && i != 2)) return false;
  return (rank == 4 && axis == 2) || (rank == 3 && axis == 1);
}

// Makes inputs of `g` that read value `all`, of `rows` rows, read `cache`.
// Returns whether any input reads `all` still.
bool ReadFrom(int cache, const TensorType& type, int all, int axis,
              int64_t rows, GraphNode& g) {
  bool reads_all = false;
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    if (g.inputs[i] != all) continue;
    if (!TakesCache(g.node, i, type.rank(), axis)) {
      reads_all = true;
      continue;
    }
    const int64_t keys = ReadAttrs<AttentionAttrs>(g.node)->keys;
    if (keys < 0) g.node.attrs["keys"] = rows;
    g.inputs[i] = cache;
    g.node.inputs[i] = {type, nullptr, -1};
  }
  return reads_all;
}

// The node that makes value `all` a part of `cache`.
GraphNode SliceOf(const GraphNode& append, int axis) {
  GraphNode g;
  const TensorType& all = append.node.outputs[kAppendedAll];
  g.node.name = append.node.name;
  g.node.op = "Slice";
  g.node.attrs["starts"] = std::vector<int64_t>{0};
  g.node.attrs["ends"] = std::vector<int64_t>{all.shape[axis]};
  g.node.attrs["axes"] = std::vector<int64_t>{axis};
  g.node.inputs = {{append.node.outputs[kAppendedCache], nullptr, -1}};
  g.node.outputs = {all};
  g.inputs = {append.outputs[kAppendedCache]};
  g.outputs = {append.outputs[kAppendedAll]};
  return g;
}

bool IsFirstPart(const Shape& cache, int axis) {
  return AllOf(Shape(cache.begin(), cache.begin() + axis),
               [](int64_t extent) { return extent == 1; });
}

}  // namespace

void ReadFromKvCache(bool has_slice, Graph& graph) {
  const auto is_append = [](const GraphNode& g) {
    return g.node.op == "Append" && g.outputs.size() > kAppendedAll;
  };
  if (!AnyOf(graph.nodes, is_append)) return;
  std::vector<uint8_t> is_output(graph.values.size());
  for (int id : graph.outputs) is_output[id] = true;
  std::vector<std::vector<size_t>> readers(graph.values.size());  // nodes
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int id : graph.nodes[n].inputs) {
      if (id >= 0) readers[id].push_back(n);
    }
  }
  std::vector<GraphNode> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    nodes.push_back(std::move(graph.nodes[n]));
    GraphNode& g = nodes.back();
    if (!is_append(g)) continue;
    const AppendExtents e = *ResolveAppend(g.node);
    const TensorType cache = g.node.outputs[kAppendedCache];
    const int all = g.outputs[kAppendedAll];
    bool is_read = is_output[all];
    for (const size_t m : readers[all]) {
      is_read |= ReadFrom(g.outputs[kAppendedCache], cache, all, e.axis,
                          e.all(), graph.nodes[m]);
    }
    const bool is_part = has_slice && IsFirstPart(cache.shape, e.axis);
    if (is_read && !is_part) continue;
    GraphNode part = SliceOf(g, e.axis);
    g.outputs.resize(kAppendedAll);
    g.node.outputs.resize(kAppendedAll);
    if (is_read) nodes.push_back(std::move(part));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace mace
