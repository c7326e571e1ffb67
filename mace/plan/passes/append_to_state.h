// AppendToState: makes a model that joins a state and new rows add the rows to
// the state's own memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_APPEND_TO_STATE_H_
#define MACE_PLAN_PASSES_APPEND_TO_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "mace/graph/graph.h"

namespace mace {

// Ids of values.
struct AppendedState {
  int cache = -1;  // an input of the graph: the state's memory
  int next = -1;   // an output: the same, with the new rows
  int count = -1;  // an output, i64 [1]: the rows in it
};

// If a Concat along `axis` of two inputs joins `value`, an input of `graph`,
// and after it new rows, its result (or a copy by Identity) is `next`, an
// output, nothing else reads elements of `value`, and this library has the op,
// replaces the Concat by an Append (mace/ops/append.cc) with a cache of the
// type `cache`. Then AppendedState::next takes the place of `next` among the
// outputs of the graph, `count` is added after the outputs, and `cache` after
// the inputs. Otherwise returns nullopt and changes nothing. Nodes need no
// types yet.
std::optional<AppendedState> AppendToState(int value, int next, int axis,
                                           const TensorType& cache,
                                           Graph* graph);

// Returns whether `next` is what an UpdateKvCache makes of `value`, an input of
// `graph`, of which no other node reads elements.
bool IsUpdatedInPlace(int value, int next, const Graph& graph);

// Returns how many rows the Append whose output has the name `next` leaves, or
// -1 if the graph has no such node. REQUIRES: types are inferred.
int64_t RowsOfState(const Graph& graph, const std::string& next);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_APPEND_TO_STATE_H_
