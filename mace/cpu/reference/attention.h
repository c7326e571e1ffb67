// The scores of Attention, and the op by its definition.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_ATTENTION_H_
#define MACE_CPU_REFERENCE_ATTENTION_H_

#include <utility>
#include <vector>

#include "mace/base/thread_pool.h"
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

  // Returns the keys [begin, end) that may count for `rows` queries.
  std::pair<int64_t, int64_t> Keys(int64_t first, int64_t rows) const;

  // Makes scores of the products of a query with n keys from `key` on; -inf for
  // those that do not count.
  void Apply(int64_t query, int64_t key, int64_t n, const char* mask,
             float* row) const;

 private:
  float scale_ = 1, softcap_ = 0;
  int64_t keys_ = 0, offset_ = 0;
  int64_t left_ = -1, right_ = -1;
  int64_t mask_[4] = {};
  bool has_mask_ = false, keeps_ = false;  // a mask of bools
};

KernelPtr MakeReferenceAttention(const AttentionShapes& s,
                                 const ScoreRule& rule, ThreadPool* threads);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_ATTENTION_H_
