// Shapes of UpdateKvCache, and the rows of a KV cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UPDATE_KV_CACHE_H_
#define MACE_OPS_UPDATE_KV_CACHE_H_

#include <cstdint>

#include "mace/graph/node.h"
#include "mace/ops/common/heads.h"

namespace mace {

// The inputs of UpdateKvCache, by index. Row i of kKvRows becomes row p + i of
// each head of kKvCache, where kKvPosition has one p, or one for each sequence
// of the batch.
enum UpdateKvCacheInput : uint8_t { kKvCache, kKvRows, kKvPosition };

// A row of a cache of int8 ends with its scale, a float32 that need not be
// aligned; element = scale * value:
//
//  | int8 x depth | scale, 4 bytes |
constexpr int64_t kKvScaleBytes = 4;

// `cache` is [batch, heads, capacity, depth] and `rows` is [batch, heads, rows,
// depth]. The depth of a cache of int8 is that of its elements, without the
// scale; its strides count bytes.
struct UpdateKvCacheShapes {
  HeadsOf cache, rows;
};

// Checks the operands and returns how they lie. Errors: MACE_INVALID_MODEL for
// operands that do not fit together. Whether the rows fit behind the position
// is only known when the node runs.
Result<UpdateKvCacheShapes> ResolveUpdateKvCache(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_UPDATE_KV_CACHE_H_
