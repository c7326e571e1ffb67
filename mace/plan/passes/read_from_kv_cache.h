// ReadFromKvCache: nodes read the rows that Append added in the cache, instead
// of a joined copy.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_
#define MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_

#include "mace/graph/graph.h"

namespace mace {

// Makes Attention read keys and values from the cache to which an Append adds
// rows, with the number of rows as its attribute `keys`. Other nodes read the
// joined rows as a Slice of the cache, which the plan makes a view, if they are
// the first part of the cache. An Append whose joined rows no node reads any
// more does not make them. `has_slice`: whether this library has the op Slice.
// REQUIRES: types are inferred.
void ReadFromKvCache(bool has_slice, Graph& graph);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_READ_FROM_KV_CACHE_H_
