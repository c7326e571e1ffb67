// Attention of a few queries, split over keys.
// SPDX-License-Identifier: Apache-2.0
//
// A task computes a tile of keys for all queries of the heads that share it:
// the largest score, the sum of exponentials, and the values weighed by them.
// Then the tiles of each query are joined. KeyTiles begin at multiples of their
// size, so that results do not depend on the number of threads.

#include "mace/cpu/attention/decode_attention.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/attention/softmax_tile.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTileKeys = 64;
constexpr int64_t kMaxQueries = 4;  // of a head
constexpr int64_t kMaxShared = 32;  // that share keys
constexpr int64_t kTilesOfTask = 2;

KvType KvTypeOf(DataType dtype) {
  if (dtype == DataType::kF32) return kKvF32;
  return dtype == DataType::kF16 ? kKvFp16 : kKvInt8;
}

// Which tiles have keys that count.
struct KeyTiles {
  int64_t sinks = 0;             // the first ones
  int64_t begin = 0, count = 0;  // those of the window, and both together

  KeyTiles(const ScoreRule& rule, int64_t queries) {
    const auto [first, end] = rule.Keys(0, queries);
    if (end <= first) return;
    begin = first / kTileKeys;
    sinks =
        std::min(CeilDiv(std::min(rule.sink_keys(), first), kTileKeys), begin);
    count = sinks + CeilDiv(end, kTileKeys) - begin;
  }
  int64_t At(int64_t i) const { return i < sinks ? i : begin + i - sinks; }
};

struct DecodeAttention final : Kernel {
  int64_t shared() const { return s.q.heads / s.k.heads * s.q.rows; }
  int64_t max_tiles() const { return CeilDiv(s.k.rows, kTileKeys); }
  // Floats of what a task makes: of each query the values, the largest score
  // and the sum.
  int64_t tile_floats() const { return shared() * (s.v.depth + 2); }
  int64_t scratch_bytes() const override {
    return SaturatedProduct({s.q.batch, s.k.heads, max_tiles(), tile_floats(),
                             static_cast<int64_t>(sizeof(float))});
  }
  int64_t macs() const override {
    return SaturatedProduct(
        {s.q.batch, s.q.heads, s.q.rows, s.k.rows, s.k.depth + s.v.depth});
  }
  std::string variant() const override { return rows->name; }

  Status Run(const RunArgs& args) override {
    MACE_RETURN_IF_ERROR(rule.CheckPosition(args.inputs));
    int64_t most = 0;
    for (int64_t n = 0; n < s.q.batch; ++n) {
      most = std::max(most, KeyTiles(rule.Of(args.inputs, n), s.q.rows).count);
    }
    const int64_t pairs = s.q.batch * s.k.heads;
    threads->ParallelFor(
        pairs * most, kTilesOfTask, [&](size_t first, size_t last) {
          for (auto i = static_cast<int64_t>(first);
               i < static_cast<int64_t>(last); ++i) {
            RunTile(args, i / most / s.k.heads, i / most % s.k.heads, i % most);
          }
        });
    const int64_t heads = s.q.heads;
    threads->ParallelFor(s.q.batch * heads * s.q.rows, 16,
                         [&](size_t first, size_t last) {
                           for (auto i = static_cast<int64_t>(first);
                                i < static_cast<int64_t>(last); ++i) {
                             Join(args, i / s.q.rows / heads,
                                  i / s.q.rows % heads, i % s.q.rows);
                           }
                         });
    return Status();
  }

  ThreadPool* threads = nullptr;
  const KvRowsF32Kernel* rows = nullptr;
  SoftmaxTile softmax;
  AttentionShapes s;
  ScoreRule rule;
  KvType type = kKvF32;
  int64_t element = 0;  // bytes

 private:
  float* TileOf(const RunArgs& args, int64_t batch, int64_t shared_head,
                int64_t i) const {
    return args.scratch.as<float>() +
           ((batch * s.k.heads + shared_head) * max_tiles() + i) *
               tile_floats();
  }

  // Calls f(query of all that share keys, head, first of its queries, stride
  // of its queries, number of queries at once).
  template <typename F>
  void ForEachQueries(int64_t shared_head, const F& f) const {
    const int64_t group = s.q.heads / s.k.heads, head = shared_head * group;
    if (s.q.rows == 1) return f(0, head, s.q.head_stride, group);
    for (int64_t g = 0; g < group; ++g) {
      f(g * s.q.rows, head + g, s.q.row_stride, s.q.rows);
    }
  }

  KvRowsF32 RowsAt(const Buffer& input, const HeadsOf& h, int64_t batch,
                   int64_t head, int64_t key, int64_t n) const {
    KvRowsF32 a{};
    a.n = static_cast<size_t>(n);
    a.depth = static_cast<size_t>(h.depth);
    a.rows =
        input.as<const char>() +
        (batch * h.batch_stride + head * h.head_stride + key * h.row_stride) *
            element;
    a.row_bytes = h.row_stride * element;
    return a;
  }

  void RunTile(const RunArgs& args, int64_t batch, int64_t shared_head,
               int64_t i) const {
    const ScoreRule own = rule.Of(args.inputs, batch);
    const KeyTiles tiles(own, s.q.rows);
    if (i >= tiles.count) return;
    const int64_t key = tiles.At(i) * kTileKeys;
    const int64_t n = std::min(kTileKeys, own.keys() - key);
    float scores[kMaxShared * kTileKeys];
    KvRowsF32 k = RowsAt(args.inputs[1], s.k, batch, shared_head, key, n);
    ForEachQueries(shared_head, [&](int64_t query, int64_t head, int64_t stride,
                                    int64_t count) {
      k.queries = static_cast<size_t>(count);
      k.x = args.inputs[0].as<const float>() + batch * s.q.batch_stride +
            head * s.q.head_stride;
      k.x_stride = stride;
      k.y = scores + query * kTileKeys;
      k.y_stride = kTileKeys;
      rows->set->dot[type](k);
    });
    float* values = TileOf(args, batch, shared_head, i);
    float* most = values + shared() * s.v.depth;
    float* sums = most + shared();
    for (int64_t r = 0; r < shared(); ++r) {
      const int64_t head = shared_head * (s.q.heads / s.k.heads) + r / s.q.rows;
      float* row = scores + r * kTileKeys;
      own.Apply(r % s.q.rows, key, n, rule.mask_at(args.inputs, batch, head),
                rule.SlopeOf(args.inputs, head), row);
      most[r] = -INFINITY;
      sums[r] = 0;
      softmax.Add(row, n, &most[r], &sums[r]);
    }
    std::fill_n(values, shared() * s.v.depth, 0.0f);
    KvRowsF32 v = RowsAt(args.inputs[2], s.v, batch, shared_head, key, n);
    v.queries = static_cast<size_t>(shared());
    v.x = scores;
    v.x_stride = kTileKeys;
    v.y = values;
    v.y_stride = s.v.depth;
    rows->set->add[type](v);
  }

  void Join(const RunArgs& args, int64_t batch, int64_t head,
            int64_t query) const {
    const KeyTiles tiles(rule.Of(args.inputs, batch), s.q.rows);
    const int64_t group = s.q.heads / s.k.heads, depth = s.v.depth;
    const int64_t r = head % group * s.q.rows + query;
    const float* first = TileOf(args, batch, head / group, 0);
    const int64_t of_most = shared() * depth + r, of_sum = of_most + shared();
    float* y = args.outputs[0].as<float>() + batch * s.y.batch_stride +
               head * s.y.head_stride + query * s.y.row_stride;
    const float sink = rule.SinkOf(args.inputs, head);
    float most = sink;
    for (int64_t i = 0; i < tiles.count; ++i) {
      most = std::max(most, first[i * tile_floats() + of_most]);
    }
    float sum = sink == -INFINITY ? 0 : std::exp(sink - most);
    std::fill_n(y, depth, 0.0f);
    for (int64_t i = 0; i < tiles.count; ++i) {
      const float* tile = first + i * tile_floats();
      if (tile[of_sum] == 0) continue;
      const float scale = std::exp(tile[of_most] - most);
      sum += tile[of_sum] * scale;
      for (int64_t e = 0; e < depth; ++e) y[e] += tile[r * depth + e] * scale;
    }
    const float inverse = sum == 0 ? 0 : 1 / sum;
    for (int64_t e = 0; e < depth; ++e) y[e] *= inverse;
  }
};

}  // namespace

bool IsDecodeAttention(const AttentionShapes& s) {
  return s.q.rows <= kMaxQueries &&
         s.q.heads / s.k.heads * s.q.rows <= kMaxShared;
}

KernelPtr MakeDecodeAttention(const Node& node, const AttentionShapes& s,
                              const ScoreRule& rule, CpuContext& context) {
  auto kernel = std::make_unique<DecodeAttention>();
  const DataType dtype = node.inputs[1].type.dtype;
  kernel->threads = context.threads;
  kernel->rows = &ChooseRow(kKvRowsF32, context.features);
  kernel->softmax = SoftmaxTile(context.features);
  kernel->s = s;
  kernel->rule = rule;
  kernel->type = KvTypeOf(dtype);
  kernel->element = static_cast<int64_t>(SizeOf(dtype));
  return kernel;
}

}  // namespace mace::cpu
