// The scores of Attention, and the op by its definition.
// SPDX-License-Identifier: Apache-2.0
//
// score = q k * scale               then, if there are any, in this order:
//   softcap:  c * tanh(score / c)
//   slope:    - slope * (query - key), in positions (ALiBi)
//   mask:     + mask, or -inf where a bool mask is false
//   window:   -inf for keys behind it, and for keys before it other than the
//             first sink_keys
// y = sum of exp(score) * v / (exp(sink) + sum of exp(score)), or 0 if no key
//     counts
#ifndef MACE_CPU_REFERENCE_ATTENTION_H_
#define MACE_CPU_REFERENCE_ATTENTION_H_

#include <utility>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/kv_rows.h"
#include "mace/device/kernel.h"
#include "mace/ops/attention.h"

namespace mace::cpu {

// What becomes of the dot product of a query and a key, for all kernels of
// Attention. Immutable after construction; threads share it. Inputs are those
// of the Run, in the order of the node.
class ScoreRule {
 public:
  ScoreRule() = default;
  // `node` need not outlive the call.
  ScoreRule(const AttentionShapes& s, const AttentionAttrs& attrs,
            const Node& node);

  // Returns the mask of a head: floats or bools, whose strides are those of
  // AttentionShapes; null if there is none.
  const char* mask_at(const std::vector<Buffer>& inputs, int64_t batch,
                      int64_t head) const;

  // Must succeed, in each Run, before Of is called. Errors: MACE_INVALID_ARGS
  // for a position that the cache has no rows for.
  Status CheckPosition(const std::vector<Buffer>& inputs) const;
  // Returns the rule of sequence `batch`. Reads its position, if there is one;
  // the key of the last query is then the last of the keys() keys. Call the
  // functions below on such a rule.
  ScoreRule Of(const std::vector<Buffer>& inputs, int64_t batch) const;
  // Returns the number of keys: with a position those of the cache up to the
  // sequence's last query, else all.
  int64_t keys() const { return keys_; }
  // SinkOf returns the score of a head that belongs to no key and has no value,
  // -inf if there is none; SlopeOf the slope of a head, 0 if there is none.
  float SinkOf(const std::vector<Buffer>& inputs, int64_t head) const;
  float SlopeOf(const std::vector<Buffer>& inputs, int64_t head) const;

  // Returns the keys [begin, end) that may count for queries [first, first +
  // rows); before `begin`, the first `sink_keys` do. A kernel need not compute
  // the others.
  std::pair<int64_t, int64_t> Keys(int64_t first, int64_t rows) const;
  int64_t sink_keys() const { return sink_keys_; }

  // Makes scores of the dot products `row` of a query with n keys from `key`
  // on, in place; -inf for those that do not count. `mask` is as mask_at
  // returns, `slope` that of the head.
  void Apply(int64_t query, int64_t key, int64_t n, const char* mask,
             float slope, float* row) const;

 private:
  float scale_ = 1, softcap_ = 0;
  // `offset_` is the position of query 0 among the keys.
  int64_t queries_ = 0, keys_ = 0, offset_ = 0;
  // How many keys a query sees before and behind its own; -1: all.
  int64_t left_ = -1, right_ = -1, sink_keys_ = 0;
  KvPosition position_;
  int64_t mask_[4] = {};
  bool has_mask_ = false, keeps_ = false;  // a mask of bools
};

// Makes a kernel that computes the op by this definition, one query at a time,
// in float. `threads` must outlive it. Keys and values are f32, or a KV cache
// of f32, f16 or int8 rows.
KernelPtr MakeReferenceAttention(const Node& node, const AttentionShapes& s,
                                 const ScoreRule& rule, ThreadPool* threads);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_ATTENTION_H_
