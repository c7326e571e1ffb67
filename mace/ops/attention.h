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

struct AttentionAttrs {
  int64_t heads = 0;
  int64_t kv_heads = 0;
  float scale = 0;
  float softcap = 0;
  int64_t left_window = -1;
  int64_t right_window = -1;
  bool at_end = false;
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
  HeadsOf q, k, v, y;    // of a KV cache of int8, strides count bytes
  int64_t mask[4] = {};  // strides of the mask, 0 where it repeats
};

// Errors: MACE_INVALID_MODEL for operands that do not fit together.
Result<AttentionShapes> ResolveAttention(const Node& node,
                                         const AttentionAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_ATTENTION_H_
