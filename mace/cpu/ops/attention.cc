// Attention on the CPU, without the matrix of all scores.
// SPDX-License-Identifier: Apache-2.0
//
// A task computes a block of queries of one head. It goes through the keys tile
// by tile: their scores are a matrix product, and so is what they add to the
// result. A few queries are computed by DecodeAttention instead.

#include "mace/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/attention/decode_attention.h"
#include "mace/cpu/attention/softmax_tile.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/cpu/reference/attention.h"

namespace mace::cpu {
namespace {

constexpr int64_t kQueries = 56;  // rows of a block: four tiles of AVX-512
constexpr int64_t kKeys = 192;    // of a tile, a multiple of every nr

struct AttentionF32 final : Kernel {
  ThreadPool* threads = nullptr;
  const GemmUkernel* gemm = nullptr;
  SoftmaxTile softmax;
  AttentionShapes s;
  ScoreRule rule;
  DataType dtype = DataType::kF32;  // of keys and values

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
  // Floats of the rows of a head, if they have another type.
  int64_t RowFloats() const {
    if (dtype == DataType::kF32) return 0;
    return s.k.rows * std::max(s.k.depth, s.v.depth);
  }
  int64_t scratch_bytes() const override {
    const int64_t floats = matrices() * (PackedKeys() + PackedValues()) +
                           threads->num_threads() * WorkerFloats() +
                           RowFloats();
    return floats * static_cast<int64_t>(sizeof(float));
  }
  int64_t macs() const override {
    return SaturatedProduct(
        {s.q.batch, s.q.heads, s.q.rows, s.k.rows, s.k.depth + s.v.depth});
  }
  std::string variant() const override { return gemm->name; }

  Status Run(const RunArgs& args) override {
    MACE_RETURN_IF_ERROR(rule.CheckPosition(args.inputs));
    float* keys = args.scratch.as<float>();
    float* values = keys + matrices() * PackedKeys();
    float* own = values + matrices() * PackedValues();
    float* rows = own + threads->num_threads() * WorkerFloats();
    for (int64_t i = 0; i < matrices(); ++i) {
      Pack(args, i, keys + i * PackedKeys(), values + i * PackedValues(), rows);
    }
    const int64_t blocks = CeilDiv(s.q.rows, kQueries);
    const int64_t tasks = s.q.batch * s.q.heads * blocks;
    RunTasks(threads, tasks, [&](size_t worker, size_t task) {
      const int64_t t = static_cast<int64_t>(task);
      const int64_t head = t / blocks % s.q.heads;
      const int64_t batch = t / blocks / s.q.heads;
      const int64_t shared = head / (s.q.heads / s.k.heads);
      const int64_t matrix = batch * s.k.heads + shared;
      const ScoreRule of_batch = rule.Of(args.inputs, batch);
      Block block;
      block.rule = &of_batch;
      block.slope = rule.SlopeOf(args.inputs, head);
      block.sink = rule.SinkOf(args.inputs, head);
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
    const ScoreRule* rule;
    float slope, sink;
  };

  // Returns the rows of matrix `i` of an operand as floats, `*stride` apart, of
  // which the first `n` count. They may be in `rows`.
  const float* RowsOf(const Buffer& input, const HeadsOf& h, int64_t i,
                      int64_t n, float* rows, int64_t* stride) const {
    const int64_t at =
        i / h.heads * h.batch_stride + i % h.heads * h.head_stride;
    const auto element = static_cast<int64_t>(SizeOf(dtype));
    const char* from = input.as<const char>() + at * element;
    *stride = h.row_stride;
    if (dtype == DataType::kF32) return reinterpret_cast<const float*>(from);
    *stride = h.depth;
    threads->ParallelFor(n, 64, [&](size_t begin, size_t end) {
      for (auto r = static_cast<int64_t>(begin); r < static_cast<int64_t>(end);
           ++r) {
        WidenKvRow(dtype, from + r * h.row_stride * element, h.depth,
                   rows + r * h.depth);
      }
    });
    return rows;
  }

  void Pack(const RunArgs& args, int64_t i, float* keys, float* values,
            float* rows) const {
    const int64_t n = rule.Of(args.inputs, i / s.k.heads).keys();
    GemmB k;
    const float* from =
        RowsOf(args.inputs[1], s.k, i, n, rows, &k.column_stride);
    k.n = n;
    k.channels = s.k.depth;
    k.channel_stride = 1;
    PackB(*gemm, k, from, keys, threads);
    GemmB v;
    from = RowsOf(args.inputs[2], s.v, i, n, rows, &v.channel_stride);
    v.n = s.v.depth;
    v.column_stride = 1;
    v.channels = n;
    PackB(*gemm, v, from, values, threads);
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
    // The sink is a score without a value.
    std::fill_n(sums, b.rows, b.sink == -INFINITY ? 0.0f : 1.0f);
    std::fill_n(most, b.rows, b.sink);
    std::fill_n(result, b.rows * depth, 0.0f);
    const int64_t keys = b.rule->keys();
    const auto [begin, end] = b.rule->Keys(b.first, b.rows);
    for (int64_t t = 0; t < end; t += kKeys) {
      const int64_t n = std::min(kKeys, end - t);
      if (t + n <= begin && t >= b.rule->sink_keys()) continue;
      Multiply(b.rows, n, s.k.depth, b.q, s.q.row_stride,
               b.keys + t * s.k.depth, gemm->nr * s.k.depth, scores, kKeys,
               /*adds=*/false);
      for (int64_t r = 0; r < b.rows; ++r) {
        float* row = scores + r * kKeys;
        b.rule->Apply(b.first + r, t, n, b.mask, b.slope, row);
        const float scale = softmax.Add(row, n, &most[r], &sums[r]);
        if (scale == 1) continue;
        for (int64_t e = 0; e < depth; ++e) result[r * depth + e] *= scale;
      }
      Multiply(b.rows, depth, n, scores, kKeys, b.values + t * gemm->nr,
               gemm->nr * keys, result, depth, /*adds=*/true);
    }
    for (int64_t r = 0; r < b.rows; ++r) {
      const float scale = sums[r] == 0 ? 0 : 1 / sums[r];
      float* y = b.y + r * s.y.row_stride;
      for (int64_t e = 0; e < depth; ++e) y[e] = result[r * depth + e] * scale;
    }
  }
};

Result<KernelPtr> PrepareAttentionF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const AttentionAttrs attrs,
                        ReadAttrs<AttentionAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const AttentionShapes s, ResolveAttention(node, attrs));
  const ScoreRule rule(s, attrs, node);
  const bool empty = s.k.rows == 0 || s.k.depth == 0 || s.v.depth == 0;
  if (context.reference || empty) {
    return MakeReferenceAttention(node, s, rule, context.threads);
  }
  if (IsDecodeAttention(s)) return MakeDecodeAttention(node, s, rule, context);
  auto kernel = std::make_unique<AttentionF32>();
  kernel->threads = context.threads;
  kernel->s = s;
  kernel->rule = rule;
  kernel->gemm = &BestGemm(kGemmF32, context.features);
  kernel->softmax = SoftmaxTile(context.features);
  kernel->dtype = node.inputs[1].type.dtype;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Attention() { return {{DataType::kF32, PrepareAttentionF32}}; }

}  // namespace mace::cpu
