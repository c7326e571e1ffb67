// The scores of Attention, and the op by its definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/attention.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/function_kernel.h"

namespace mace::cpu {

ScoreRule::ScoreRule(const AttentionShapes& s, const AttentionAttrs& attrs,
                     const Node& node)
    : softcap_(attrs.softcap),
      keys_(s.k.rows),
      offset_(attrs.at_end ? s.k.rows - s.q.rows : 0),
      left_(attrs.left_window),
      right_(attrs.right_window),
      has_mask_(node.has_input(3)) {
  const auto depth = static_cast<float>(std::max<int64_t>(s.q.depth, 1));
  scale_ = attrs.scale == 0 ? 1 / std::sqrt(depth) : attrs.scale;
  std::copy_n(s.mask, 4, mask_);
  keeps_ = has_mask_ && node.inputs[3].type.dtype == DataType::kBool;
}

const char* ScoreRule::mask_at(const std::vector<Buffer>& inputs, int64_t batch,
                               int64_t head) const {
  if (!has_mask_) return nullptr;
  const int64_t at = batch * mask_[0] + head * mask_[1];
  return inputs[3].as<const char>() + at * (keeps_ ? 1 : 4);
}

std::pair<int64_t, int64_t> ScoreRule::Keys(int64_t first, int64_t rows) const {
  int64_t begin = 0, end = keys_;
  const int64_t at = first + offset_;
  // The windows are limited first, so that no sum overflows.
  if (left_ >= 0) begin = at - std::min(left_, std::max<int64_t>(at, 0));
  if (right_ >= 0) end = at + rows + std::min(right_, keys_);
  return {std::clamp<int64_t>(begin, 0, keys_),
          std::clamp<int64_t>(end, 0, keys_)};
}

void ScoreRule::Apply(int64_t query, int64_t key, int64_t n, const char* mask,
                      float* row) const {
  for (int64_t i = 0; i < n; ++i) row[i] *= scale_;
  if (softcap_ > 0) {
    for (int64_t i = 0; i < n; ++i) {
      row[i] = softcap_ * std::tanh(row[i] / softcap_);
    }
  }
  if (mask != nullptr) {
    const int64_t at = query * mask_[2] + key * mask_[3];
    for (int64_t i = 0; i < n; ++i) {
      if (keeps_) {
        if (mask[at + i * mask_[3]] == 0) row[i] = -INFINITY;
      } else {
        row[i] += reinterpret_cast<const float*>(mask)[at + i * mask_[3]];
      }
    }
  }
  const auto [begin, end] = Keys(query, 1);
  const int64_t from = std::clamp<int64_t>(begin - key, 0, n);
  std::fill_n(row, from, -INFINITY);
  const int64_t to = std::clamp<int64_t>(end - key, 0, n);
  std::fill_n(row + to, n - to, -INFINITY);
}

namespace {

float Dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

struct ReferenceAttention {
  AttentionShapes s;
  ScoreRule rule;

  void Row(const RunArgs& args, int64_t batch, int64_t head,
           int64_t query) const {
    const int64_t shared = head / (s.q.heads / s.k.heads);
    const char* mask = rule.mask_at(args.inputs, batch, head);
    const auto at = [&](const HeadsOf& h, int64_t of_head, int64_t row) {
      return batch * h.batch_stride + of_head * h.head_stride +
             row * h.row_stride;
    };
    const float* q = args.inputs[0].as<const float>() + at(s.q, head, query);
    float* y = args.outputs[0].as<float>() + at(s.y, head, query);
    const auto score = [&](int64_t key) {
      const float* k = args.inputs[1].as<const float>() + at(s.k, shared, key);
      float value = Dot(q, k, s.q.depth);
      rule.Apply(query, key, 1, mask, &value);
      return value;
    };
    float most = -INFINITY, sum = 0;
    for (int64_t t = 0; t < s.k.rows; ++t) most = std::max(most, score(t));
    std::fill_n(y, s.v.depth, 0.0f);
    for (int64_t t = 0; t < s.k.rows; ++t) {
      const float now = score(t);
      if (now == -INFINITY) continue;
      const float weight = std::exp(now - most);
      const float* v = args.inputs[2].as<const float>() + at(s.v, shared, t);
      for (int64_t e = 0; e < s.v.depth; ++e) y[e] += weight * v[e];
      sum += weight;
    }
    for (int64_t e = 0; e < s.v.depth && sum != 0; ++e) y[e] /= sum;
  }
};

}  // namespace

KernelPtr MakeReferenceAttention(const AttentionShapes& s,
                                 const ScoreRule& rule, ThreadPool* threads) {
  const ReferenceAttention op{s, rule};
  return MakeKernel([op, threads](const RunArgs& args) {
    const int64_t rows = op.s.q.rows, heads = op.s.q.heads;
    threads->ParallelFor(
        op.s.q.batch * heads * rows, 16, [&](size_t begin, size_t end) {
          for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
            op.Row(args, i / rows / heads, i / rows % heads, i % rows);
          }
        });
  });
}

}  // namespace mace::cpu
