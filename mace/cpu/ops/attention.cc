// Attention on the CPU, without the matrix of all scores.
// SPDX-License-Identifier: Apache-2.0
//
// A task computes a block of queries of one head. It goes through the keys tile
// by tile: their scores are a matrix product, and so is what they add to the
// result. The largest score and the sum of exponentials so far are kept for
// each query; where a tile has a larger score, what came before is scaled down
// (Milakov and Gimelshein 2018, "Online normalizer calculation for softmax").

#include "mace/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/conv/gemm_pack.h"
#include "mace/cpu/reference/attention.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kQueries = 56;  // rows of a block: four tiles of AVX-512
constexpr int64_t kKeys = 192;    // of a tile, a multiple of every nr
constexpr int64_t kAttentionLanes = 8;  // that a compiler makes vectors of

// Returns the largest of n numbers and `most`; NaNs count as small.
float AttentionLargest(const float* x, int64_t n, float most) {
  float lanes[kAttentionLanes];
  std::fill_n(lanes, kAttentionLanes, most);
  int64_t i = 0;
  for (; i + kAttentionLanes <= n; i += kAttentionLanes) {
    for (int64_t k = 0; k < kAttentionLanes; ++k) {
      lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
    }
  }
  for (; i < n; ++i) lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  return *std::max_element(lanes, lanes + kAttentionLanes);
}

float Total(const float* x, int64_t n) {
  float lanes[kAttentionLanes] = {};
  int64_t i = 0;
  for (; i + kAttentionLanes <= n; i += kAttentionLanes) {
    for (int64_t k = 0; k < kAttentionLanes; ++k) lanes[k] += x[i + k];
  }
  for (; i < n; ++i) lanes[0] += x[i];
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

struct AttentionF32 final : Kernel {
  ThreadPool* threads = nullptr;
  const GemmUkernel* gemm = nullptr;
  const RowF32* micro = nullptr;
  AttentionShapes s;
  ScoreRule rule;

  int64_t PackedKeys() const {
    return PackedElements(*gemm, s.k.rows, s.k.depth);
  }
  int64_t PackedValues() const {
    return PackedElements(*gemm, s.v.depth, s.v.rows);
  }
  int64_t matrices() const { return s.k.batch * s.k.heads; }
  // Floats that a worker needs: scores, results, and two numbers for each
  // query.
  int64_t WorkerFloats() const { return kQueries * (kKeys + s.v.depth + 2); }
  int64_t scratch_bytes() const override {
    const int64_t floats = matrices() * (PackedKeys() + PackedValues()) +
                           threads->num_threads() * WorkerFloats();
    return floats * static_cast<int64_t>(sizeof(float));
  }
  int64_t macs() const override {
    return SaturatedProduct(
        {s.q.batch, s.q.heads, s.q.rows, s.k.rows, s.k.depth + s.v.depth});
  }
  std::string variant() const override { return gemm->name; }

  Status Run(const RunArgs& args) override {
    float* keys = args.scratch.as<float>();
    float* values = keys + matrices() * PackedKeys();
    float* own = values + matrices() * PackedValues();
    for (int64_t i = 0; i < matrices(); ++i) Pack(args, i, keys, values);
    const int64_t blocks = CeilDiv(s.q.rows, kQueries);
    const int64_t tasks = s.q.batch * s.q.heads * blocks;
    RunTasks(threads, tasks, [&](size_t worker, size_t task) {
      const int64_t t = static_cast<int64_t>(task);
      const int64_t head = t / blocks % s.q.heads;
      const int64_t batch = t / blocks / s.q.heads;
      const int64_t shared = head / (s.q.heads / s.k.heads);
      const int64_t matrix = batch * s.k.heads + shared;
      Block block;
      block.first = t % blocks * kQueries;
      block.rows = std::min(kQueries, s.q.rows - block.first);
      block.q = args.inputs[0].as<const float>() + batch * s.q.batch_stride +
                head * s.q.head_stride + block.first * s.q.row_stride;
      block.keys = keys + matrix * PackedKeys();
      block.values = values + matrix * PackedValues();
      block.mask = rule.mask_at(args.inputs, batch, head);
      block.y = args.outputs[0].as<float>() + batch * s.y.batch_stride +
                head * s.y.head_stride + block.first * s.y.row_stride;
      Compute(block, own + static_cast<int64_t>(worker) * WorkerFloats());
    });
    return Status();
  }

 private:
  struct Block {
    int64_t first, rows;  // of q
    const float *q, *keys, *values;
    const char* mask;
    float* y;
  };

  void Pack(const RunArgs& args, int64_t i, float* keys, float* values) const {
    const int64_t batch = i / s.k.heads, head = i % s.k.heads;
    GemmB k;
    k.offset = batch * s.k.batch_stride + head * s.k.head_stride;
    k.n = s.k.rows;
    k.column_stride = s.k.row_stride;
    k.channels = s.k.depth;
    k.channel_stride = 1;
    PackB(*gemm, k, args.inputs[1].handle, keys + i * PackedKeys(), threads);
    GemmB v;
    v.offset = batch * s.v.batch_stride + head * s.v.head_stride;
    v.n = s.v.depth;
    v.column_stride = 1;
    v.channels = s.v.rows;
    v.channel_stride = s.v.row_stride;
    PackB(*gemm, v, args.inputs[2].handle, values + i * PackedValues(),
          threads);
  }

  // c = a * b, or c + a * b if `adds`; panels of b are `panel` elements apart.
  void Multiply(int64_t rows, int64_t n, int64_t k, const float* a,
                int64_t a_stride, const float* b, int64_t panel, float* c,
                int64_t c_stride, bool adds) const {
    for (int64_t j = 0; j < n; j += gemm->nr) {
      for (int64_t i = 0; i < rows; i += gemm->mr) {
        GemmTile tile{};
        tile.m = std::min<int64_t>(gemm->mr, rows - i);
        tile.n = std::min<int64_t>(gemm->nr, n - j);
        tile.k = k;
        tile.segments = 1;
        tile.a = a + i * a_stride;
        tile.a_stride = a_stride;
        tile.b = b + j / gemm->nr * panel;
        tile.c = c + i * c_stride + j;
        tile.c_stride = c_stride;
        tile.addend = adds ? tile.c : nullptr;
        tile.addend_stride = c_stride;
        tile.lower = -INFINITY;
        tile.upper = INFINITY;
        gemm->fn(tile);
      }
    }
  }

  void Compute(const Block& b, float* own) const {
    const int64_t depth = s.v.depth;
    float* scores = own;
    float* sums = scores + kQueries * kKeys;
    float* most = sums + kQueries;
    float* result = most + kQueries;
    std::fill_n(sums, b.rows, 0.0f);
    std::fill_n(most, b.rows, -INFINITY);
    std::fill_n(result, b.rows * depth, 0.0f);
    const auto [begin, end] = rule.Keys(b.first, b.rows);
    for (int64_t t = begin / kKeys * kKeys; t < end; t += kKeys) {
      const int64_t n = std::min(kKeys, end - t);
      Multiply(b.rows, n, s.k.depth, b.q, s.q.row_stride,
               b.keys + t * s.k.depth, gemm->nr * s.k.depth, scores, kKeys,
               /*adds=*/false);
      for (int64_t r = 0; r < b.rows; ++r) {
        float* row = scores + r * kKeys;
        rule.Apply(b.first + r, t, n, b.mask, /*slope=*/0, row);
        Exponentials(row, n, most[r], sums[r], result + r * depth);
      }
      Multiply(b.rows, depth, n, scores, kKeys, b.values + t * gemm->nr,
               gemm->nr * s.v.rows, result, depth, /*adds=*/true);
    }
    for (int64_t r = 0; r < b.rows; ++r) {
      const float scale = sums[r] == 0 ? 0 : 1 / sums[r];
      float* y = b.y + r * s.y.row_stride;
      for (int64_t e = 0; e < depth; ++e) y[e] = result[r * depth + e] * scale;
    }
  }

  // Makes exponentials of a row of scores, and scales what came before.
  void Exponentials(float* row, int64_t n, float& most, float& sum,
                    float* result) const {
    const float now = AttentionLargest(row, n, most);
    if (now == -INFINITY && std::isinf(Total(row, n))) {  // no key counts
      std::fill_n(row, n, 0.0f);
      return;
    }
    if (now != most) {
      const float scale = std::exp(most - now);
      sum *= scale;
      for (int64_t e = 0; e < s.v.depth; ++e) result[e] *= scale;
      most = now;
    }
    for (int64_t i = 0; i < n; ++i) row[i] -= now;
    micro->set->exp({static_cast<size_t>(n), row, row});
    sum += Total(row, n);
  }
};

Result<KernelPtr> PrepareAttentionF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const AttentionAttrs attrs,
                        ReadAttrs<AttentionAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const AttentionShapes s, ResolveAttention(node, attrs));
  const ScoreRule rule(s, attrs, node);
  const bool empty = s.k.rows == 0 || s.k.depth == 0 || s.v.depth == 0;
  const bool is_plain =
      node.inputs[1].type.dtype == DataType::kF32 && attrs.sink_keys == 0 &&
      !node.has_input(kAttentionPosition) &&
      !node.has_input(kAttentionSlopes) && !node.has_input(kAttentionSinks);
  if (context.reference || empty || !is_plain) {
    return MakeReferenceAttention(node, s, rule, context.threads);
  }
  auto kernel = std::make_unique<AttentionF32>();
  kernel->threads = context.threads;
  kernel->s = s;
  kernel->rule = rule;
  kernel->gemm = &BestGemm(kGemmF32, context.features);
  kernel->micro = &ChooseRow(kRowF32, context.features);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Attention() { return {{DataType::kF32, PrepareAttentionF32}}; }

}  // namespace mace::cpu
