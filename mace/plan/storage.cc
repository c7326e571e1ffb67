// Grouping values by the bytes they share.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/storage.h"

#include <algorithm>
#include <numeric>

#include "mace/ops/common/op.h"

namespace mace {
namespace {

bool IsView(const GraphNode& g) {
  return FindOp(g.node.op)->is_view && g.inputs[0] >= 0;
}

}  // namespace

std::vector<int> AssignStorage(Plan& plan) {
  const Graph& graph = plan.graph;
  const int num_values = static_cast<int>(graph.values.size());
  plan.places.assign(num_values, Place());
  for (int i = 0; i < num_values; ++i) {
    if (graph.values[i].is_constant()) plan.places[i].kind = Place::kConstant;
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    plan.places[graph.inputs[i]] = {Place::kInput, static_cast<int>(i), 0};
  }

  // A view's output joins the group of its input; steps come in order, so that
  // the input's root is final.
  std::vector<int> root(num_values);
  std::iota(root.begin(), root.end(), 0);
  std::vector<bool> is_view(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& g = graph.nodes[n];
    if (!IsView(g)) continue;
    root[g.outputs[0]] = root[g.inputs[0]];
    is_view[n] = true;
  }
  plan.steps.erase(
      std::remove_if(plan.steps.begin(), plan.steps.end(),
                     [&](const Step& step) { return is_view[step.node]; }),
      plan.steps.end());

  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const int value = graph.outputs[i];
    Place& place = plan.places[root[value]];
    if (place.kind == Place::kNowhere) {
      place = {Place::kOutput, static_cast<int>(i), 0};
    } else {
      plan.copies.push_back({place, value, static_cast<int>(i)});
    }
  }
  for (const Step& step : plan.steps) {
    for (int id : graph.nodes[step.node].outputs) {
      Place& place = plan.places[root[id]];
      if (place.kind == Place::kNowhere) place.kind = Place::kArena;
    }
  }
  for (int i = 0; i < num_values; ++i) plan.places[i] = plan.places[root[i]];
  return root;
}

}  // namespace mace
