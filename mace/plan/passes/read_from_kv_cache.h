// ReadFromKvCache: nodes read the rows that Append added in the cache, instead
// of a joined copy.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_
#define MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_

#include "mace/graph/graph.h"

namespace mace {

// Attention reads keys and values along whose rows an Append adds from the
// cache, with the number of rows as its attribute. If what is joined is the
// first part of the cache, others read it as a Slice, which the plan makes a
// view. An Append of which nobody else reads the joined rows does not make
// them. REQUIRES: types are inferred. `has_slice`: whether nodes of Slice run.
void ReadFromKvCache(bool has_slice, Graph& graph);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_
