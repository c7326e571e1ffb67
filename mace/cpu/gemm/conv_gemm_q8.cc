// Products of quantized values: packing rows, multiplying and requantizing
// tiles.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/conv_gemm.h"

namespace mace::cpu {
namespace {

// Sums that are requantized with one call of a micro-kernel, which reads its
// factors once for all of them: those of 4 tiles of 12x32, or of 3 of 16x32.
constexpr int64_t kSumsAtOnce = 4 * 12 * 32;
static_assert(kSumsAtOnce >= kGemmQ8MaxSums);
// Rows by which parts of the largest tiles differ in cost.
constexpr int64_t kRowStep = 4;
// Fewer rows are not worth reading the panels of a filter for.
constexpr int64_t kMinRows = 12;

}  // namespace

struct ConvGemm::QuantizedTask {
  const Task& task;
  uint8_t* y;  // of row task.first_row
  int64_t y_stride;
  const RequantizeQ8* requantize;
  GemmRequantizedFn* at_once;  // null: sums are requantized
};

void ConvGemm::PlanQuantized() {
  const GemmUkernel& micro = *spec_.kernel;
  const int64_t mr = micro.mr, nr = micro.nr;
  packer_ = RunPacker(spec_.patches, micro, spec_.quantized.flip,
                      spec_.quantized.x_zero);
  depth_block_ = depth_;
  tile_bytes_ =
      AlignUp(PackedTile(AlignUp(depth_, micro.packing.k_pad)), kAlignment);
  const int64_t panels = CeilDiv(spec_.n, nr);
  const int64_t panel_bytes = PackedPanel(depth_);
  const int64_t block = blocks_.rows_of(panels * panel_bytes);
  const int64_t rows = std::max<int64_t>(rows_, 1);  // an image may be empty
  const int64_t tiles = CeilDiv(rows, mr);
  const int64_t threads =
      CeilDiv(num_threads_, static_cast<int64_t>(spec_.parts.size()));
  int64_t row_tiles = std::clamp<int64_t>(block / tile_bytes_, 1, tiles);
  int64_t panel_block = panels;
  if (threads > 1 && panels > tiles) {
    panel_block = EvenBlock(panels, panels, threads);
  } else if (threads > 1) {
    row_tiles = EvenBlock(tiles, row_tiles, threads);
  }
  column_block_ = panel_block * nr;
  // The same number of blocks, but of equal sizes. For several threads they are
  // not whole tiles: a part of a tile takes about as much less as it has fewer
  // rows, and 14x14 pixels are 16 tiles and a third.
  const int64_t row_blocks = CeilDiv(tiles, row_tiles);
  row_block_ = threads == 1 ? CeilDiv(tiles, row_blocks) * mr
                            : AlignUp(CeilDiv(rows, row_blocks), kRowStep);
  // Where all panels of a task stay in the first-level cache beside some tiles,
  // reading them again for each such part of the rows costs nothing.
  tiles_at_once_ = kSumsAtOnce / (mr * nr);
  const int64_t left = blocks_.first_level - panel_block * panel_bytes;
  const int64_t part = std::clamp(
      std::max(blocks_.part / tile_bytes_, tiles_at_once_ / 2), int64_t{1},
      std::min(tiles_at_once_, std::max<int64_t>(left / tile_bytes_, 1)));
  const bool panels_stay = part * mr >= kMinRows && part * tile_bytes_ <= left;
  rows_at_once_ = panels_stay ? std::min(row_block_, part * mr) : row_block_;
  runs_at_ = CeilDiv(rows_at_once_, mr) * tile_bytes_;
  row_add_at_ = runs_at_ + packer_.scratch_bytes();
  copy_bytes_ = row_add_at_;
  if (spec_.quantized.b_zero == 0) return;
  copy_bytes_ += AlignUp(
      AlignUp(rows_at_once_, mr) * static_cast<int64_t>(sizeof(int32_t)),
      kAlignment);
}

void ConvGemm::RunQuantized(const Task& task) const {
  const GemmUkernel& micro = *spec_.kernel;
  const int64_t mr = micro.mr, step = tiles_at_once_ * mr;
  const int32_t b_zero = spec_.quantized.b_zero;
  const StageQ8& stage = spec_.quantized.stage;
  const bool at_once = b_zero == 0 && stage.IsWithin(micro.epilogue.bits,
                                                     micro.epilogue.max_right);
  const QuantizedTask quantized = {
      task, static_cast<uint8_t*>(task.at.y),
      task.at.y_stride > 0 ? task.at.y_stride : spec_.pixel_stride,
      &stage.Micro(), at_once ? micro.epilogue.fn : nullptr};
  const auto* x = static_cast<const uint8_t*>(task.at.x);
  auto* row_add = b_zero == 0
                      ? nullptr
                      : reinterpret_cast<int32_t*>(task.copies + row_add_at_);
  RunPacker::Position position = packer_.PositionOf(task.row_begin);
  for (int64_t row = task.row_begin, end; row < task.row_end; row = end) {
    end = std::min(row + rows_at_once_, task.row_end);
    char* to = task.copies;
    for (int64_t r = row; r < end; r += mr, to += tile_bytes_) {
      packer_.Pack(x, r, std::min(mr, end - r), &position,
                   row_add != nullptr ? row_add + (r - row) : nullptr,
                   task.copies + runs_at_, to);
    }
    for (int64_t i = 0; row_add != nullptr && i < end - row; ++i) {
      row_add[i] = static_cast<int32_t>(static_cast<uint32_t>(row_add[i]) *
                                        static_cast<uint32_t>(-b_zero));
    }
    for (int64_t j = task.column_begin; j < task.column_end; j += micro.nr) {
      const char* a = task.copies;
      for (int64_t r = row; r < end; r += step) {
        MultiplyRequantized(quantized, j, r, std::min(step, end - r), a,
                            row_add != nullptr ? row_add + (r - row) : nullptr);
        a += tiles_at_once_ * tile_bytes_;
      }
    }
  }
}

void ConvGemm::MultiplyRequantized(const QuantizedTask& q, int64_t column,
                                   int64_t row, int64_t m, const char* a,
                                   const int32_t* row_add) const {
  const GemmUkernel& micro = *spec_.kernel;
  const StageQ8& stage = spec_.quantized.stage;
  const int64_t mr = micro.mr, nr = micro.nr;
  const int64_t n = std::min(nr, spec_.n - column);
  const int64_t channel = q.task.channel + column;
  const auto k = static_cast<size_t>(AlignUp(depth_, micro.packing.k_pad));
  const auto* b = static_cast<const int8_t*>(q.task.at.b) +
                  column / nr * PackedPanel(depth_);
  const auto* bias = static_cast<const int32_t*>(q.task.at.bias) + column;
  uint8_t* y = q.y + (row - q.task.first_row) * q.y_stride + column;
  if (q.at_once != nullptr && n == nr) {
    const int64_t tiles = m / mr;
    const StageQ8::Numbers to = stage.numbers(channel);
    q.at_once({static_cast<size_t>(tiles), k, a,
               static_cast<ptrdiff_t>(tile_bytes_), b, bias, to.mantissa,
               to.left, to.right, to.zero_point, to.least, to.most, y,
               static_cast<ptrdiff_t>(q.y_stride)});
    m -= tiles * mr;
    a += tiles * tile_bytes_;
    y += tiles * mr * q.y_stride;
  }
  if (m == 0) return;
  // Requantizing reads whole vectors.
  alignas(kAlignment) int32_t sums[kSumsAtOnce + kRequantizeQ8Columns];
  GemmTile tile = {};
  tile.n = static_cast<size_t>(n);
  tile.k = k;
  tile.a = a;
  tile.b = b;
  tile.c = sums;
  tile.bias = bias;
  tile.m = static_cast<size_t>(mr);
  int64_t left = m;
  for (; left >= mr; left -= mr) {
    micro.fn(tile);
    tile.a = static_cast<const char*>(tile.a) + tile_bytes_;
    tile.c = static_cast<int32_t*>(tile.c) + mr * nr;
  }
  tile.m = static_cast<size_t>(left);
  if (left > 0) micro.fn(tile);
  stage.Run(*q.requantize, {m, n, channel, sums, nr, row_add, y, q.y_stride});
}

}  // namespace mace::cpu
