// AddMoveCosts: adds to a cut between nodes the costs of values that must be
// moved or converted.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MIN_CUT_MOVE_COSTS_H_
#define MACE_PLAN_MIN_CUT_MOVE_COSTS_H_

#include <functional>

#include "mace/graph/graph.h"
#include "mace/plan/min_cut/min_cut.h"

namespace mace {

// The vertices of the cut's graph: source and sink, then one for each node.
constexpr int kCutSource = 0, kCutSink = 1;
inline int CutVertexOf(size_t node) { return 2 + static_cast<int>(node); }

// Adds the edges of all values that are not constant. A value with cost(value)
// > 0 moves at most once in each direction, between its producer and any of its
// readers on the other side; this takes two additional vertices. Inputs and
// outputs of the graph are on the sink's side.
//
//                cost           infinite
//     producer ------> `down` -----------> each reader
//     producer <------  `up`  <----------- each reader
//
// If the producer is on the source's side and a reader is not, `down` must be
// on the sink's side, which cuts one edge of that cost, however many readers
// there are; and the other way round for `up`.
void AddMoveCosts(const Graph& graph,
                  const std::function<double(const Value&)>& cost, MinCut* cut);

}  // namespace mace

#endif  // MACE_PLAN_MIN_CUT_MOVE_COSTS_H_
