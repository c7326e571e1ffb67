// Attributes and shapes of Attention.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ATTENTION_H_
#define MACE_OPS_ATTENTION_H_

#include <cstdint>

#include "mace/graph/node.h"
#include "mace/ops/common/heads.h"

namespace mace {

// The inputs of Attention, by index.
enum AttentionInput : uint8_t {
  kAttentionQ,
  kAttentionK,
  kAttentionV,
  kAttentionMask,
  kAttentionPosition,
  kAttentionSlopes,
  kAttentionSinks,
};

// Query i is at key p = position + i (of input kAttentionPosition), i + T - S
// (at_end), or else i, for S queries and T keys. Key t counts for it if
//
//  (t >= p - left_window or t < sink_keys) and t <= p + right_window
//
// where a window of -1 is no bound. With a position, keys from position + S on
// never count. With left_window 2, right_window 0 and sink_keys 1:
//
//  key        0 1 2 3 4 5 6 7
//  p = 5      s . . w w w . .
struct AttentionAttrs {
  // Needed for operands [N, rows, heads * depth]. Of four dimensions: 0, or
  // what they have. kv_heads 0 is the same as heads for k and v of three
  // dimensions.
  int64_t heads = 0;
  int64_t kv_heads = 0;
  // Factor of the dot products of q and k; 0: 1 / sqrt(depth).
  float scale = 0;
  // c > 0: scores s become c tanh(s / c), before slopes and mask.
  float softcap = 0;
  int64_t left_window = -1;
  int64_t right_window = -1;
  // Aligns the last query with the last key. Must be false beside a position.
  bool at_end = false;
  // Reads only this many rows of k and v; -1: all. Must be -1 beside a
  // position.
  int64_t keys = -1;
  int64_t sink_keys = 0;

  template <typename V>
  void Fields(V& v) {
    v("heads", heads);
    v("kv_heads", kv_heads);
    v("scale", scale);
    v("softcap", softcap);
    v("left_window", left_window);
    v("right_window", right_window);
    v("at_end", at_end);
    v("keys", keys);
    v("sink_keys", sink_keys);
  }
};

struct AttentionShapes {
  // How the operands and the result lie. Strides count elements; for k and v
  // that are a KV cache of int8, bytes, and `depth` is then without the scale
  // at the end of each row. The rows of k and v are attrs.keys, if that is
  // given.
  HeadsOf q, k, v, y;
  // Strides of the mask over [N, heads, S, T], 0 where it repeats.
  int64_t mask[4] = {};
};

// Checks the operands and attributes, and returns how the operands lie. Errors:
// MACE_INVALID_MODEL for operands that do not fit together or an attribute that
// is out of range.
Result<AttentionShapes> ResolveAttention(const Node& node,
                                         const AttentionAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_ATTENTION_H_
