// The scores of Attention, and the op by its definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/base/fp16.h"

namespace mace::cpu {

ScoreRule::ScoreRule(const AttentionShapes& s, const AttentionAttrs& attrs,
                     const Node& node)
    : softcap_(attrs.softcap),
      queries_(s.q.rows),
      keys_(s.k.rows),
      offset_(attrs.at_end ? s.k.rows - s.q.rows : 0),
      left_(attrs.left_window),
      right_(attrs.right_window),
      sink_keys_(attrs.sink_keys),
      has_mask_(node.has_input(3)) {
  const auto depth = static_cast<float>(std::max<int64_t>(s.q.depth, 1));
  scale_ = attrs.scale == 0 ? 1 / std::sqrt(depth) : attrs.scale;
  std::copy_n(s.mask, 4, mask_);
  keeps_ = has_mask_ && node.inputs[3].type.dtype == DataType::kBool;
  if (node.has_input(kAttentionPosition)) {
    position_ = KvPosition(node, kAttentionPosition);
  }
}

Status ScoreRule::CheckPosition(const std::vector<Buffer>& inputs) const {
  if (!position_.exists()) return Status();
  return position_.Check(inputs[kAttentionPosition].handle, queries_, keys_);
}

ScoreRule ScoreRule::Of(const std::vector<Buffer>& inputs,
                        int64_t batch) const {
  ScoreRule rule = *this;
  if (!position_.exists()) return rule;
  rule.offset_ = position_.At(inputs[kAttentionPosition].handle, batch);
  rule.keys_ = rule.offset_ + queries_;
  return rule;
}

namespace {

// Of an optional input with a value for each head.
float OfHead(const std::vector<Buffer>& inputs, size_t i, int64_t head,
             float absent) {
  if (i >= inputs.size() || inputs[i].handle == nullptr) return absent;
  return inputs[i].as<const float>()[head];
}

}  // namespace

float ScoreRule::SinkOf(const std::vector<Buffer>& inputs, int64_t head) const {
  return OfHead(inputs, kAttentionSinks, head, -INFINITY);
}

float ScoreRule::SlopeOf(const std::vector<Buffer>& inputs,
                         int64_t head) const {
  return OfHead(inputs, kAttentionSlopes, head, 0);
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
                      float slope, float* row) const {
  for (int64_t i = 0; i < n; ++i) row[i] *= scale_;
  if (softcap_ > 0) {
    for (int64_t i = 0; i < n; ++i) {
      row[i] = softcap_ * std::tanh(row[i] / softcap_);
    }
  }
  if (slope != 0) {
    const int64_t at = query + offset_ - key;
    for (int64_t i = 0; i < n; ++i) {
      row[i] -= slope * static_cast<float>(at - i);
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
  const int64_t kept = std::clamp<int64_t>(sink_keys_ - key, 0, from);
  std::fill_n(row + kept, from - kept, -INFINITY);
  const int64_t to = std::clamp<int64_t>(end - key, 0, n);
  std::fill_n(row + to, n - to, -INFINITY);
}

namespace {

struct ReferenceAttention {
  AttentionShapes s;
  ScoreRule rule;
  DataType dtype;  // of keys and values
  int64_t element;

  // Element e of a row of keys or values.
  float At(const Buffer& rows, int64_t at, int64_t depth, int64_t e) const {
    const char* row = rows.as<const char>() + at * element;
    if (dtype == DataType::kF32) return reinterpret_cast<const float*>(row)[e];
    if (dtype == DataType::kF16) {
      return FromFp16(reinterpret_cast<const uint16_t*>(row)[e]);
    }
    float scale;
    std::memcpy(&scale, row + depth, sizeof(scale));
    return scale * static_cast<float>(reinterpret_cast<const int8_t*>(row)[e]);
  }

  void Row(const RunArgs& args, int64_t batch, int64_t head,
           int64_t query) const {
    const ScoreRule own = rule.Of(args.inputs, batch);
    const int64_t shared = head / (s.q.heads / s.k.heads);
    const char* mask = rule.mask_at(args.inputs, batch, head);
    const float slope = rule.SlopeOf(args.inputs, head);
    const auto at = [&](const HeadsOf& h, int64_t of_head, int64_t row) {
      return batch * h.batch_stride + of_head * h.head_stride +
             row * h.row_stride;
    };
    const float* q = args.inputs[0].as<const float>() + at(s.q, head, query);
    float* y = args.outputs[0].as<float>() + at(s.y, head, query);
    const auto score = [&](int64_t key) {
      float value = 0;
      for (int64_t e = 0; e < s.q.depth; ++e) {
        value += q[e] * At(args.inputs[1], at(s.k, shared, key), s.k.depth, e);
      }
      own.Apply(query, key, 1, mask, slope, &value);
      return value;
    };
    const float sink = rule.SinkOf(args.inputs, head);
    float most = sink;
    for (int64_t t = 0; t < own.keys(); ++t) most = std::max(most, score(t));
    float sum = sink == -INFINITY ? 0 : std::exp(sink - most);
    std::fill_n(y, s.v.depth, 0.0f);
    for (int64_t t = 0; t < own.keys(); ++t) {
      const float now = score(t);
      if (now == -INFINITY) continue;
      const float weight = std::exp(now - most);
      for (int64_t e = 0; e < s.v.depth; ++e) {
        y[e] += weight * At(args.inputs[2], at(s.v, shared, t), s.v.depth, e);
      }
      sum += weight;
    }
    for (int64_t e = 0; e < s.v.depth && sum != 0; ++e) y[e] /= sum;
  }
};

struct ReferenceAttentionKernel final : Kernel {
  Status Run(const RunArgs& args) override {
    MACE_RETURN_IF_ERROR(op.rule.CheckPosition(args.inputs));
    const int64_t rows = op.s.q.rows, heads = op.s.q.heads;
    threads->ParallelFor(
        op.s.q.batch * heads * rows, 16, [&](size_t begin, size_t end) {
          for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
            op.Row(args, i / rows / heads, i / rows % heads, i % rows);
          }
        });
    return Status();
  }

  ReferenceAttention op;
  ThreadPool* threads = nullptr;
};

}  // namespace

KernelPtr MakeReferenceAttention(const Node& node, const AttentionShapes& s,
                                 const ScoreRule& rule, ThreadPool* threads) {
  const DataType dtype = node.inputs[1].type.dtype;
  auto kernel = std::make_unique<ReferenceAttentionKernel>();
  kernel->op = {s, rule, dtype, static_cast<int64_t>(SizeOf(dtype))};
  kernel->threads = threads;
  return kernel;
}

}  // namespace mace::cpu
