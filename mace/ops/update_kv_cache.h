// Shapes of UpdateKvCache, and the rows of a KV cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UPDATE_KV_CACHE_H_
#define MACE_OPS_UPDATE_KV_CACHE_H_

#include <cstdint>

#include "mace/graph/node.h"
#include "mace/ops/common/heads.h"

namespace mace {

// The inputs of UpdateKvCache, by index.
enum UpdateKvCacheInput : uint8_t { kKvCache, kKvRows, kKvPosition };

// A row of a cache of int8 ends with its scale, a float.
constexpr int64_t kKvScaleBytes = 4;

// The depth of the cache is that of its rows without a scale.
struct UpdateKvCacheShapes {
  HeadsOf cache, rows;
};

// Errors: MACE_INVALID_MODEL for operands that do not fit together.
Result<UpdateKvCacheShapes> ResolveUpdateKvCache(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_UPDATE_KV_CACHE_H_
