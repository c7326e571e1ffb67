// Kernels of products with dynamic quantization.
// SPDX-License-Identifier: Apache-2.0
//
//   1. the threads quantize and pack rows of x, tile by tile
//   2. the threads multiply: a task has some panels of w and a block of rows,
//      which stays in the second-level cache
//
// Weights with a scale for each row are multiplied in integers for the whole
// depth, those in blocks block by block.

#include <algorithm>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/conv/mat_mul_kernel.h"
#include "mace/cpu/gemm/pack_blocks.h"
#include "mace/cpu/gemm/row_finish.h"

namespace mace::cpu {
namespace {

constexpr int64_t kBlockOfRowsBytes = 512 << 10;
constexpr int64_t kTasksPerThread = 4;
constexpr auto kQ8BlockBytes = static_cast<int64_t>(sizeof(Q8Block));

// Returns those of the features with which m rows are multiplied.
CpuFeatures FeaturesFor(int64_t m, CpuFeatures features) {
  // A few rows take AMX as long as a whole tile of them.
  constexpr int64_t kMaxRowsWithoutAmx = 4;
  return m <= kMaxRowsWithoutAmx ? features & ~CpuFeatures{kCpuAmxInt8}
                                 : features;
}

struct DynamicKernel : Kernel {
  DynamicKernel(const GemmUkernel& kernel, const Operand& w, int64_t rows,
                const ActivationFunction& activation_in,
                const CpuContext& context)
      : gemm(&kernel),
        threads(context.threads),
        m(rows),
        n(w.type.shape[0]),
        k(w.type.shape[1]),
        blocks(CeilDiv(k, kValuesPerBlock)),
        activation(activation_in),
        finish(activation_in, ActivationFunction(), context.features) {
    panels = CeilDiv(n, gemm->nr);
    const int64_t tile = gemm->mr * blocks * kQ8BlockBytes;
    tiles_at_once = std::max<int64_t>(1, kBlockOfRowsBytes / tile);
    panels_of_piece = CeilDiv(
        panels,
        std::min<int64_t>(panels, threads->num_threads() * kTasksPerThread));
    pieces = CeilDiv(panels, panels_of_piece);
  }

  int64_t macs() const override { return SaturatedProduct({m, n, k}); }
  std::string variant() const override { return gemm->name; }

  // Calls f(worker, first tile, tiles, first panel, end) for each task.
  template <typename F>
  void ForEachTask(const F& f) const {
    const int64_t tiles = CeilDiv(m, gemm->mr);
    const int64_t tasks = CeilDiv(tiles, tiles_at_once) * pieces;
    RunTasks(threads, tasks, [&](size_t worker, size_t task) {
      const auto t = static_cast<int64_t>(task);
      const int64_t first = t / pieces * tiles_at_once;
      const int64_t panel = t % pieces * panels_of_piece;
      f(worker, first, std::min(tiles_at_once, tiles - first), panel,
        std::min(panels, panel + panels_of_piece));
    });
  }

  // Packs rows [row, row + count) as Q8Blocks.
  static Q8Block* PackTile(const GemmUkernel& pack, const float* x, int64_t k,
                           int64_t row, int64_t count, Q8Block* to) {
    const void* rows[kGemmMaxRows];
    for (int64_t i = 0; i < count; ++i) rows[i] = x + (row + i) * k;
    const GemmUnpacked unpacked = {static_cast<size_t>(count),
                                   static_cast<size_t>(k), 1, rows, 0};
    return static_cast<Q8Block*>(pack.pack(unpacked, to));
  }

  void Finish(int64_t row, int64_t rows, int64_t column, int64_t columns,
              float* y) const {
    if (!finish.Needed(false)) return;
    finish.Run(rows, columns, n, nullptr, y + row * n + column);
  }

  const GemmUkernel* gemm;
  ThreadPool* threads;
  int64_t m, n, k, blocks;
  ActivationFunction activation;
  RowFinish finish;
  int64_t panels = 0, pieces = 0, panels_of_piece = 0, tiles_at_once = 1;
  std::shared_ptr<const void> packed;
  int64_t panel_bytes = 0;
};

// Weights in blocks.
struct DynamicBlocks final : DynamicKernel {
  using DynamicKernel::DynamicKernel;

  int64_t scratch_bytes() const override { return m * blocks * kQ8BlockBytes; }

  Status Run(const RunArgs& args) override {
    const auto* x = args.inputs[0].as<const float>();
    auto* a = args.scratch.as<Q8Block>();
    const int64_t mr = gemm->mr;
    threads->ParallelFor(CeilDiv(m, mr), 1, [&](size_t begin, size_t end) {
      for (auto t = static_cast<int64_t>(begin); t < static_cast<int64_t>(end);
           ++t) {
        PackTile(*gemm, x, k, t * mr, std::min(mr, m - t * mr),
                 a + t * mr * blocks);
      }
    });
    const float* bias = BiasF32(args);
    auto* y = args.outputs[0].as<float>();
    ForEachTask(
        [&](size_t, int64_t first, int64_t tiles, int64_t panel, int64_t end) {
          GemmTile tile{};
          const int64_t row = first * mr;
          tile.m = static_cast<size_t>(std::min(tiles * mr, m - row));
          tile.k = static_cast<size_t>(k);
          tile.segments = 1;
          tile.a = a + row * blocks;
          tile.a_packed = true;
          tile.c_stride = n;
          tile.lower = activation.lower();
          tile.upper = activation.upper();
          const bool is_row = m == 1 && gemm->row != nullptr;
          const int64_t at_once = is_row ? end - panel : 1;
          for (int64_t p = panel; p < end; p += at_once) {
            const int64_t column = p * gemm->nr;
            tile.n = static_cast<size_t>(
                std::min<int64_t>(gemm->nr * at_once, n - column));
            tile.b = static_cast<const char*>(packed.get()) + p * panel_bytes;
            tile.bias = bias != nullptr ? bias + column : nullptr;
            tile.c = y + row * n + column;
            (is_row ? gemm->row : gemm->fn)(tile);
          }
          Finish(row, static_cast<int64_t>(tile.m), panel * gemm->nr,
                 std::min(end * gemm->nr, n) - panel * gemm->nr, y);
        });
    return Status();
  }
};

// Weights of int8 with a scale for each row.
struct DynamicRows final : DynamicKernel {
  DynamicRows(const GemmUkernel& kernel, const Operand& w, int64_t rows,
              const ActivationFunction& activation_in,
              const CpuContext& context)
      : DynamicKernel(kernel, w, rows, activation_in, context),
        pack(&BestGemmOfBlocks(kGemmW8, FeaturesFor(1, context.features))),
        panel(kernel, k) {
    const auto depth = static_cast<int64_t>(AlignUp(k, gemm->packing.k_tile));
    tile_bytes = static_cast<int64_t>(
        AlignUp(gemm->mr * depth * SizeOf(gemm->types.a), kAlignment));
    sums_bytes = gemm->mr * gemm->nr * static_cast<int64_t>(sizeof(int32_t));
    // Of the blocks of a row, and its values.
    row_bytes = static_cast<int64_t>(
        AlignUp(blocks * kQ8BlockBytes * kGemmMaxRows, kAlignment) +
        AlignUp(gemm->mr * blocks * kValuesPerBlock, kAlignment));
  }

  int64_t tiles() const { return CeilDiv(m, gemm->mr); }
  int64_t worker_bytes() const {
    return static_cast<int64_t>(AlignUp(sums_bytes, kAlignment)) + row_bytes;
  }
  int64_t scratch_bytes() const override {
    return static_cast<int64_t>(AlignUp(m * sizeof(float), kAlignment)) +
           tiles() * tile_bytes + threads->num_threads() * worker_bytes();
  }

  Status Run(const RunArgs& args) override {
    auto* scales = args.scratch.as<float>();
    char* a = args.scratch.as<char>() + AlignUp(m * sizeof(float), kAlignment);
    char* own = a + tiles() * tile_bytes;
    const auto* x = args.inputs[0].as<const float>();
    RunTasks(threads, tiles(), [&](size_t worker, size_t tile) {
      const auto t = static_cast<int64_t>(tile);
      Pack(x, t * gemm->mr, own + static_cast<int64_t>(worker) * worker_bytes(),
           scales, a + t * tile_bytes);
    });
    const float* bias = BiasF32(args);
    auto* y = args.outputs[0].as<float>();
    ForEachTask([&](size_t worker, int64_t first, int64_t count, int64_t from,
                    int64_t end) {
      auto* sums = reinterpret_cast<int32_t*>(
          own + static_cast<int64_t>(worker) * worker_bytes());
      for (int64_t p = from; p < end; ++p) {
        for (int64_t t = first; t < first + count; ++t) {
          Multiply(a + t * tile_bytes, p, t * gemm->mr, scales, bias, sums, y);
        }
      }
      Finish(first * gemm->mr, std::min(count * gemm->mr, m - first * gemm->mr),
             from * gemm->nr, std::min(end * gemm->nr, n) - from * gemm->nr, y);
    });
    return Status();
  }

 private:
  // Quantizes and packs the tile of rows from `row` on.
  void Pack(const float* x, int64_t row, char* own, float* scales,
            char* to) const {
    const int64_t count = std::min<int64_t>(gemm->mr, m - row);
    auto* row_blocks = reinterpret_cast<Q8Block*>(own);
    auto* values = reinterpret_cast<uint8_t*>(
        own + AlignUp(blocks * kQ8BlockBytes * kGemmMaxRows, kAlignment));
    const uint8_t* runs[kGemmMaxRows];
    for (int64_t i = 0; i < count; ++i) {
      PackTile(*pack, x, k, row + i, 1, row_blocks);
      scales[row + i] = row_blocks->scale;
      uint8_t* run = values + i * blocks * kValuesPerBlock;
      for (int64_t b = 0; b < blocks; ++b) {
        std::memcpy(run + b * kValuesPerBlock, row_blocks[b].values,
                    kValuesPerBlock);
      }
      runs[i] = run;
    }
    GemmRuns rows{};
    rows.m = static_cast<size_t>(count);
    rows.n = static_cast<size_t>(k);
    rows.segments = 1;
    rows.runs = runs;
    rows.flip = gemm->reads_unsigned() ? 0x80 : 0;
    gemm->pack_runs(rows, to);
  }

  void Multiply(const char* a, int64_t p, int64_t row, const float* row_scales,
                const float* bias, int32_t* sums, float* y) const {
    const int64_t count = std::min<int64_t>(gemm->mr, m - row);
    const int64_t column = p * gemm->nr;
    const int64_t columns = std::min<int64_t>(gemm->nr, n - column);
    const char* b = static_cast<const char*>(packed.get()) + p * panel.bytes;
    GemmTile tile{};
    tile.m = static_cast<size_t>(count);
    tile.n = static_cast<size_t>(gemm->nr);
    tile.k = static_cast<size_t>(panel.k);
    tile.segments = 1;
    tile.a = a;
    tile.a_packed = true;
    tile.b = b;
    tile.c = sums;
    tile.c_stride = gemm->nr;
    tile.bias = b + panel.start_at;
    gemm->fn(tile);
    const auto* scales = reinterpret_cast<const float*>(b + panel.scales_at);
    const float lower = activation.lower(), upper = activation.upper();
    for (int64_t i = 0; i < count; ++i) {
      const int32_t* from = sums + i * gemm->nr;
      float* to = y + (row + i) * n + column;
      const float scale = row_scales[row + i];
      for (int64_t j = 0; j < columns; ++j) {
        float v = static_cast<float>(from[j]) * scales[j] * scale;
        if (bias != nullptr) v += bias[column + j];
        v = v < lower ? lower : v;
        to[j] = v > upper ? upper : v;
      }
    }
  }

  const GemmUkernel* pack;  // quantizes rows
  Int8Panel panel;
  int64_t tile_bytes = 0, sums_bytes = 0, row_bytes = 0;
};

}  // namespace

Result<KernelPtr> PrepareMatMulDynamic(const Node& node, int64_t m,
                                       const ActivationFunction& activation,
                                       CpuContext& context) {
  const Operand& w = node.inputs[1];
  const QuantizedRows rows(w);
  // Sums of the whole depth have 32 bits: 128 * 128 * 2^17 is 2^31.
  constexpr int64_t kMaxDepth = (int64_t{1} << 17) - 1;
  if (!rows.has_blocks && rows.depth > kMaxDepth) {
    return PrepareMatMulWeightsQ8(node, m, activation, context);
  }
  const CpuFeatures features = FeaturesFor(m, context.features);
  std::unique_ptr<DynamicKernel> kernel;
  if (rows.has_blocks) {
    const GemmUkernel& gemm = BestGemmOfBlocks(TypesOfBlocks(rows), features);
    kernel = std::make_unique<DynamicBlocks>(gemm, w, m, activation, context);
    kernel->panel_bytes = BlockPanelBytes(gemm, rows);
  } else {
    const GemmUkernel& gemm = BestGemmQ8(-128, features);
    kernel = std::make_unique<DynamicRows>(gemm, w, m, activation, context);
    kernel->panel_bytes = Int8Panel(gemm, rows.depth).bytes;
  }
  const GemmUkernel& gemm = *kernel->gemm;
  const auto pack = [&](void* to) {
    (rows.has_blocks ? PackBlocks : PackInt8Rows)(gemm, rows, context.threads,
                                                  to);
    return Status();
  };
  // Micro-kernels of one instruction set share their packed weights.
  const bool is_unsigned =
      rows.has_blocks ? gemm.packing.b_min == 0 : gemm.reads_unsigned();
  const std::string how =
      StrCat(rows.has_blocks ? "blocks" : "int8 rows", " in groups of ",
             gemm.packing.group, " for ", gemm.nr, " columns of ",
             is_unsigned ? "unsigned" : "signed",
             rows.has_blocks ? " values" : " rows");
  MACE_ASSIGN_OR_RETURN(
      kernel->packed,
      context.packed->GetOrPack(w.weight_id, how,
                                kernel->panels * kernel->panel_bytes, pack));
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
