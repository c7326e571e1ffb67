// Blocking and running a convolution's matrix product.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_gemm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

// Floats of k that a tile multiplies at a time: a panel of b this deep (times
// 32 columns: 64 KiB) streams from the second-level cache.
constexpr int64_t kMaxDepth = 768;
// Rows read in place need no copy, so that only b's panel limits the depth.
constexpr int64_t kMaxDepthInPlace = 2048;
// Floats of `a` in a row block: a quarter of a 1 MiB second-level cache.
constexpr int64_t kBlockFloats = 64 * 1024;

GemmF32Rows RowsAt(const float* a, int64_t m, int64_t k, int64_t row_stride,
                   int64_t segments = 1, int64_t segment_stride = 0) {
  return {static_cast<size_t>(m),
          static_cast<size_t>(k),
          static_cast<size_t>(segments),
          a,
          static_cast<ptrdiff_t>(row_stride),
          static_cast<ptrdiff_t>(segment_stride)};
}

}  // namespace

ConvGemm::ConvGemm(const Spec& spec, const CpuContext& context)
    : spec_(spec),
      finish_(spec.activation, spec.sum_activation, context.features),
      num_threads_(spec.one_thread ? 1 : context.threads->num_threads()) {
  const Patches& patches = spec.patches;
  const Window2D& window = patches.window;
  rows_ = patches.rows();
  depth_ = patches.depth();
  flat_output_ =
      (window.h.out == 1 ||
       spec.line_stride == window.w.out * spec.pixel_stride) &&
      (patches.batch == 1 ||
       spec.image_stride == window.h.out * window.w.out * spec.pixel_stride);
  const int64_t row_bytes = patches.pixel_stride * window.w.stride * 4;
  const bool conflicts = context.choice.copy >= 0
                             ? context.choice.copy > 0
                             : RowsConflict(*spec.kernel, row_bytes, spec.n);
  const bool is_matrix = patches.is_matrix();
  packs_all_rows_ = spec.kernel->operands.bytes < sizeof(float);
  packs_rows_ = packs_all_rows_ ||
                (spec.kernel->pack != nullptr && spec.n > spec.kernel->nr);
  reads_in_place_ =
      !conflicts && (is_matrix || packs_rows_ || depth_ <= kMaxDepth);
  const int64_t max_depth =
      reads_in_place_ && is_matrix ? kMaxDepthInPlace : kMaxDepth;
  depth_block_ = CeilDiv(depth_, CeilDiv(depth_, max_depth));
  // A depth block that is packed from segments is made of whole ones.
  const int64_t segment = window.w.kernel * patches.channels;
  if (packs_rows_ && !is_matrix && depth_ > kMaxDepth) {
    depth_block_ = std::max<int64_t>(kMaxDepth / segment, 1) * segment;
  }
  if (packs_all_rows_) {
    // Blocks begin where a group of k does.
    const auto group = static_cast<int64_t>(spec.kernel->operands.group);
    const bool whole = !is_matrix && depth_ > kMaxDepth;
    depth_block_ =
        whole ? std::lcm(depth_block_, group) : AlignUp(depth_block_, group);
  }
  // Rows of one line are read, or copied, together.
  cuts_lines_ =
      !flat_output_ || (reads_in_place_ && !is_matrix && !packs_rows_);
  // As if the sum were computed behind: one product, no activation before it.
  sums_in_tile_ = depth_block_ >= depth_ &&
                  spec.activation.kind == ActivationKind::kNoop &&
                  spec.sum_activation.is_clamp();
  PlanTasks(Doubled(kBlockFloats, context.choice.block));
  if (packs_rows_ || !(reads_in_place_ && is_matrix)) {
    // Half a cache line more than whole ones, so that rows spread over sets.
    copy_stride_ = (depth_block_ + 15) / 16 * 16 + 8;
    copy_floats_ = row_block_ * copy_stride_;
  }
  if (packs_rows_) {
    // A packed tile is as large as a full one; one more holds its rows.
    const int64_t mr = spec.kernel->mr;
    const int64_t tiles = cuts_lines_ ? kMaxTiles : CeilDiv(row_block_, mr);
    copy_floats_ = (packs_all_rows_ ? tiles * PackedTile(depth_block_)
                                    : tiles * mr * copy_stride_) +
                   mr * copy_stride_;
  }
}

int64_t ConvGemm::MaxRowBlock() const {
  const int64_t mr = spec_.kernel->mr;
  if (!cuts_lines_) return kMaxTiles * mr;
  // Tiles end at the end of a line: half of them may be short, besides the
  // first and the last.
  return (kMaxTiles / 2 - 2) * std::min(mr, spec_.patches.window.w.out);
}

void ConvGemm::PlanTasks(int64_t block_floats) {
  const int64_t mr = spec_.kernel->mr, nr = spec_.kernel->nr;
  const int64_t parts = static_cast<int64_t>(spec_.parts.size());
  const int64_t panels = CeilDiv(spec_.n, nr);
  const int64_t block =
      block_floats * 4 / static_cast<int64_t>(spec_.kernel->operands.bytes);
  row_block_ =
      std::clamp<int64_t>(block / depth_block_ / mr * mr, mr, MaxRowBlock());
  column_block_ = panels * nr;
  if (num_threads_ > 1) {
    const int64_t threads = CeilDiv(num_threads_, parts);
    const int64_t tiles = CeilDiv(std::max<int64_t>(rows_, 1), mr);
    // What the busiest thread has to do, if columns are shared or rows.
    const int64_t columns = EvenBlock(panels, panels, threads);
    const int64_t by_columns =
        CeilDiv(CeilDiv(panels, columns), threads) * columns * rows_;
    const int64_t row_share = CeilDiv(rows_, threads);
    const bool shares_rows =
        row_share >= mr && 20 * row_share * panels < 19 * by_columns;
    if (panels > tiles && !shares_rows) {
      column_block_ = columns * nr;
    } else if (panels > tiles) {
      row_block_ = std::clamp<int64_t>(row_share, 1, row_block_);
    } else {
      // The blocks that run at once are as large as one thread's, so that an
      // output may begin as close before its input.
      const int64_t share =
          std::max<int64_t>(MaxRowBlock() / num_threads_ / mr, 1);
      row_block_ =
          EvenBlock(tiles, std::min(row_block_ / mr, share), threads) * mr;
    }
  }
  // As few blocks as that, but equal ones.
  const int64_t blocks = CeilDiv(std::max<int64_t>(rows_, 1), row_block_);
  const int64_t equal = CeilDiv(std::max<int64_t>(rows_, 1), blocks);
  row_block_ = std::min(row_block_, CeilDiv(equal, mr) * mr);
}

int64_t ConvGemm::SafeDistanceBytes() const {
  const Patches& patches = spec_.patches;
  const Window2D& window = patches.window;
  if (spec_.parts.size() > 1 || column_block_ < spec_.n || !flat_output_ ||
      spec_.pixel_stride != spec_.n) {
    return -1;
  }
  const auto output_end = [&](int64_t block) {
    return std::min((block + 1) * row_block_, rows_) * spec_.pixel_stride * 4;
  };
  const auto input_begin = [&](int64_t block) {
    const int64_t row = block * row_block_;
    int64_t pixel = row;
    if (!patches.is_matrix()) {
      // The first pixel of the first line that the row's window touches.
      const int64_t line = row / window.w.out;
      const int64_t top =
          line % window.h.out * window.h.stride - window.h.pad_before;
      pixel = (line / window.h.out * window.h.in + std::max<int64_t>(top, 0)) *
              window.w.in;
    }
    return pixel * patches.pixel_stride * 4;
  };
  return SafeDistance(CeilDiv(rows_, row_block_), num_threads_, output_end,
                      input_begin);
}

std::string ConvGemm::variant() const {
  return std::string(spec_.kernel->name) + (packs_rows_ ? " packing rows"
                                            : reads_in_place_
                                                ? " in place"
                                                : " copying rows");
}

void ConvGemm::Run(ThreadPool* threads, const Operands& operands,
                   void* scratch) const {
  const int64_t row_blocks = CeilDiv(rows_, row_block_);
  const int64_t column_blocks = CeilDiv(spec_.n, column_block_);
  const Patches& patches = spec_.patches;
  const Window2D& window = patches.window;
  const bool in_order =
      spec_.parts.size() == 1 &&
      Overlap(operands.y, rows_ * spec_.pixel_stride, operands.x,
              patches.batch * window.h.in * window.w.in * patches.pixel_stride);
  RunTasks(threads, spec_.parts.size() * row_blocks * column_blocks, in_order,
           [&](size_t worker, size_t index) {
             const int64_t i = static_cast<int64_t>(index);
             const int64_t row = i / column_blocks % row_blocks * row_block_;
             const int64_t column = i % column_blocks * column_block_;
             const Part& part = spec_.parts[i / column_blocks / row_blocks];
             Operands at = operands;
             at.x += part.x;
             at.b += part.b;
             if (at.bias != nullptr) at.bias += part.bias;
             at.y += part.y;
             if (at.addend != nullptr) at.addend += part.y;
             RunTask({at, static_cast<float*>(scratch) + worker * copy_floats_,
                      row, std::min(row + row_block_, rows_), column,
                      std::min(column + column_block_, spec_.n)});
           });
}

void ConvGemm::RunRows(int64_t begin, int64_t end, const Operands& operands,
                       void* thread_scratch) const {
  for (int64_t row = begin; row < end; row += row_block_) {
    RunTask({operands, static_cast<float*>(thread_scratch), row,
             std::min(row + row_block_, end), 0, spec_.n, begin});
  }
}

int64_t ConvGemm::PackedTile(int64_t k) const {
  const GemmOperands& a = spec_.kernel->operands;
  return spec_.kernel->mr * AlignUp(k, static_cast<int64_t>(a.k_tile)) *
         static_cast<int64_t>(a.bytes) / 4;
}

int64_t ConvGemm::PackedPanel(int64_t k) const {
  return PackedFloats(*spec_.kernel, spec_.kernel->nr, k);
}

int64_t ConvGemm::OutputOffset(int64_t row) const {
  if (flat_output_) return row * spec_.pixel_stride;
  const Window2D& window = spec_.patches.window;
  const int64_t q = row % window.w.out, line = row / window.w.out;
  return line / window.h.out * spec_.image_stride +
         line % window.h.out * spec_.line_stride + q * spec_.pixel_stride;
}

int ConvGemm::CutTiles(const Task& task, Tile* tiles) const {
  int num_tiles = 0;
  const int64_t width = spec_.patches.window.w.out;
  for (int64_t row = task.row_begin; row < task.row_end;) {
    Tile& tile = tiles[num_tiles++];
    tile.m = std::min<int64_t>(spec_.kernel->mr, task.row_end - row);
    if (cuts_lines_) tile.m = std::min(tile.m, width - row % width);
    tile.c = task.at.y + OutputOffset(row - task.first_row);
    row += tile.m;
  }
  return num_tiles;
}

int ConvGemm::FindRows(const Task& task, int64_t k0, int64_t k1,
                       const Tile* tiles, int num_tiles, RowRun* runs) const {
  const int64_t mr = spec_.kernel->mr, k = k1 - k0;
  float* copies = task.copies;
  float* last_tile = task.copies + copy_floats_ - mr * copy_stride_;
  int64_t row = task.row_begin;
  int num_runs = 0;
  for (int i = 0; i < num_tiles; row += tiles[i++].m) {
    const Tile& tile = tiles[i];
    RowRun& run = runs[num_runs++];
    run.c = tile.c;
    // Packed tiles are at least half full ones: not worth it for a few rows.
    run.packed = packs_rows_ && (packs_all_rows_ || tile.m > mr / 4);
    bool found = FindInPlace(task, row, tile.m, k0, k1, &run.rows);
    if (!found && reads_in_place_ && !packs_rows_) {
      found = CopyWindows(task, row, tile.m, copies, &run.rows);
      if (found) copies += tile.m * copy_stride_;
    }
    if (!found) {
      float* rows = run.packed ? last_tile : copies;
      spec_.patches.Copy(task.at.x, row, tile.m, k0, k1, rows, copy_stride_);
      run.rows = RowsAt(rows, tile.m, k, copy_stride_);
      if (!run.packed) copies += tile.m * copy_stride_;
    }
    if (!run.packed) continue;
    spec_.kernel->pack(run.rows, copies);
    run.rows = {run.rows.m, static_cast<size_t>(k), 1, copies, 0, 0};
    copies += PackedTile(k);
    // Joins the run before if that is packed and ends where this begins.
    if (num_runs < 2 || !runs[num_runs - 2].packed) continue;
    RowRun& before = runs[num_runs - 2];
    const int64_t m = static_cast<int64_t>(before.rows.m);
    if (m % mr != 0 || run.c != before.c + m * spec_.pixel_stride) continue;
    before.rows.m += run.rows.m;
    --num_runs;
  }
  return num_runs;
}

bool ConvGemm::FindInPlace(const Task& task, int64_t row, int64_t m, int64_t k0,
                           int64_t k1, GemmF32Rows* rows) const {
  Patches::InPlace in_place;
  if (!reads_in_place_ || !spec_.patches.FindInPlace(row, m, &in_place)) {
    return false;
  }
  const float* a = task.at.x + in_place.offset;
  int64_t k = k1 - k0, segments = 1;
  if (in_place.segments == 1) {
    a += k0;
  } else {
    a += k0 / in_place.k * in_place.segment_stride;
    segments = k / in_place.k;
    k = in_place.k;
  }
  *rows =
      RowsAt(a, m, k, in_place.row_stride, segments, in_place.segment_stride);
  return true;
}

bool ConvGemm::CopyWindows(const Task& task, int64_t row, int64_t m, float* to,
                           GemmF32Rows* rows) const {
  Patches::InPlace in_place;
  if (!spec_.patches.CopyWindows(task.at.x, row, m, to, &in_place))
    return false;
  *rows = RowsAt(to, m, in_place.k, in_place.row_stride, in_place.segments,
                 in_place.segment_stride);
  return true;
}

void ConvGemm::RunTask(const Task& task) const {
  Tile tiles[kMaxTiles];
  RowRun runs[kMaxTiles];
  const int num_tiles = CutTiles(task, tiles);
  for (int64_t k0 = 0; k0 < depth_; k0 += depth_block_) {
    const int64_t k1 = std::min(k0 + depth_block_, depth_);
    const int num_runs = FindRows(task, k0, k1, tiles, num_tiles, runs);
    MultiplyPanels(task, k0, runs, num_runs);
  }
  Finish(task, tiles, num_tiles);
}

void ConvGemm::MultiplyPanels(const Task& task, int64_t k0, const RowRun* runs,
                              int num_runs) const {
  const int64_t nr = spec_.kernel->nr;
  const bool last = k0 + depth_block_ >= depth_;
  GemmF32Tile t;
  const float* addend = sums_in_tile_ ? task.at.addend : nullptr;
  const ActivationFunction& f =
      addend != nullptr ? spec_.sum_activation : spec_.activation;
  t.lower = last ? f.lower() : -INFINITY;
  t.upper = last ? f.upper() : INFINITY;
  for (int64_t j = task.column_begin; j < task.column_end; j += nr) {
    t.n = std::min(nr, task.column_end - j);
    t.b = task.at.b + j / nr * PackedPanel(depth_) + PackedPanel(k0);
    t.bias = k0 == 0 && task.at.bias != nullptr ? task.at.bias + j : nullptr;
    for (int i = 0; i < num_runs; ++i) {
      const GemmF32Rows& rows = runs[i].rows;
      t.m = rows.m;
      t.k = rows.k;
      t.segments = rows.segments;
      t.a = rows.a;
      t.a_stride = rows.a_stride;
      t.segment_stride = rows.segment_stride;
      t.a_packed = runs[i].packed;
      t.c = runs[i].c + j;
      t.c_stride = t.addend_stride = spec_.pixel_stride;
      t.addend = k0 > 0              ? t.c
                 : addend != nullptr ? addend + (t.c - task.at.y)
                                     : nullptr;
      spec_.kernel->fn(t);
    }
  }
}

void ConvGemm::Finish(const Task& task, const Tile* tiles,
                      int num_tiles) const {
  const float* addend = sums_in_tile_ ? nullptr : task.at.addend;
  if (!finish_.Needed(addend != nullptr)) return;
  for (int i = 0; i < num_tiles; ++i) {
    float* c = tiles[i].c + task.column_begin;
    finish_.Run(tiles[i].m, task.column_end - task.column_begin,
                spec_.pixel_stride,
                addend != nullptr ? addend + (c - task.at.y) : nullptr, c);
  }
}

}  // namespace mace::cpu
