// The scores of Attention, and the op by its definition.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_ATTENTION_H_
#define MACE_CPU_REFERENCE_ATTENTION_H_

#include <utility>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/kv_rows.h"
#include "mace/device/kernel.h"
#include "mace/ops/attention.h"

namespace mace::cpu {

// What becomes of the product of a query and a key.
class ScoreRule {
 public:
  ScoreRule() = default;
  ScoreRule(const AttentionShapes& s, const AttentionAttrs& attrs,
            const Node& node);

  // Returns the mask of a head, or null.
  const char* mask_at(const std::vector<Buffer>& inputs, int64_t batch,
                      int64_t head) const;

  // Errors: MACE_INVALID_ARGS for a position that the cache has no rows for.
  Status CheckPosition(const std::vector<Buffer>& inputs) const;
  // Returns the rule of a sequence whose position, if there is any, is read.
  ScoreRule Of(const std::vector<Buffer>& inputs, int64_t batch) const;
  // How many keys there are.
  int64_t keys() const { return keys_; }
  // The score beside those of keys, or -inf.
  float SinkOf(const std::vector<Buffer>& inputs, int64_t head) const;
  float SlopeOf(const std::vector<Buffer>& inputs, int64_t head) const;

  // Returns the keys [begin, end) that may count for `rows` queries; before
  // `begin`, the first `sink_keys` do.
  std::pair<int64_t, int64_t> Keys(int64_t first, int64_t rows) const;
  int64_t sink_keys() const { return sink_keys_; }

  // Makes scores of the products of a query with n keys from `key` on; -inf for
  // those that do not count. `slope` is that of the head.
  void Apply(int64_t query, int64_t key, int64_t n, const char* mask,
             float slope, float* row) const;

 private:
  float scale_ = 1, softcap_ = 0;
  int64_t queries_ = 0, keys_ = 0, offset_ = 0;
  int64_t left_ = -1, right_ = -1, sink_keys_ = 0;
  KvPosition position_;
  int64_t mask_[4] = {};
  bool has_mask_ = false, keeps_ = false;  // a mask of bools
};

KernelPtr MakeReferenceAttention(const Node& node, const AttentionShapes& s,
                                 const ScoreRule& rule, ThreadPool* threads);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_ATTENTION_H_
