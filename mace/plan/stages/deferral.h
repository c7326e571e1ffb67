// Deferral: what of a graph later plans infer, because it depends on data.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_DEFERRAL_H_
#define MACE_PLAN_STAGES_DEFERRAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/plan/stages/control_flow.h"
#include "mace/plan/types/deferred_subgraph.h"

namespace mace {

// Collects the nodes that wait for data while shape inference goes through the
// graph. Nodes must be added in the order of the graph, and adding moves them
// away. A library without the component `dynamic` defers nothing: errors of
// adding are MACE_UNSUPPORTED.
class Deferral {
 public:
  // `*deferred` receives what is deferred; if `deferred` is null, nothing may
  // be deferred. Both must outlive this object.
  Deferral(Graph& graph, std::unique_ptr<DeferredSubgraph>* deferred)
      : graph_(graph), deferred_(deferred) {}

  bool is_allowed() const { return deferred_ != nullptr; }
  // Whether the node reads what a deferred one makes, and so must be deferred,
  // too.
  bool Reads(const GraphNode& g) const;

  // Adds a node that reads what a deferred one makes.
  void Add(GraphNode& g);
  // Adds a node whose input `input` must be known first.
  Status AddFor(GraphNode& g, int input);
  // Defers a Loop, or an If whose condition is not constant, and returns no
  // nodes. Of an If with a constant condition, returns the nodes of the branch
  // that it takes, and defers nothing. Errors: MACE_INVALID_MODEL, naming the
  // node.
  Result<std::vector<GraphNode>> AddControlFlow(GraphNode& g);

  // Completes what is deferred, and makes what it reads outputs of the graph,
  // but for the graph's inputs.
  void Finish();

 private:
  bool is_deferred(int id) const {
    return static_cast<size_t>(id) < is_deferred_.size() && is_deferred_[id];
  }
  // `input` is -1 for a node that runs subgraphs by itself.
  void DeferFor(GraphNode& g, int input);

  Graph& graph_;
  std::unique_ptr<DeferredSubgraph>* deferred_;
  std::vector<uint8_t> is_deferred_;  // by value; empty: none is
  // Of the whole graph; made for the first branch.
  std::optional<BranchBudget> budget_;
};

}  // namespace mace

#endif  // MACE_PLAN_STAGES_DEFERRAL_H_
