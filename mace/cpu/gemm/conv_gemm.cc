// Running a convolution's matrix product: finding, packing and multiplying
// rows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/conv_gemm.h"

#include <algorithm>
#include <cmath>

#include "mace/base/cpu_rows.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

const char* Bytes(const void* p) { return static_cast<const char*>(p); }
char* Bytes(void* p) { return static_cast<char*>(p); }

}  // namespace

void ConvGemm::Run(ThreadPool* threads, const Operands& operands,
                   void* scratch) const {
  const int64_t row_blocks = CeilDiv(rows_, row_block_);
  const int64_t column_blocks = CeilDiv(spec_.n, column_block_);
  const Patches& patches = spec_.patches;
  const Window2D& window = patches.window;
  const bool in_order =
      spec_.parts.size() == 1 &&
      RangesOverlap(Bytes(operands.y), rows_ * spec_.pixel_stride * y_bytes_,
                    Bytes(operands.x),
                    patches.batch * window.h.in * window.w.in *
                        patches.pixel_stride * x_bytes_);
  RunTasks(
      threads, spec_.parts.size() * row_blocks * column_blocks, in_order,
      [&](size_t worker, size_t index) {
        const int64_t i = static_cast<int64_t>(index);
        const int64_t row = i / column_blocks % row_blocks * row_block_;
        const int64_t column = i % column_blocks * column_block_;
        const Part& part = spec_.parts[i / column_blocks / row_blocks];
        RunTask({PartOf(operands, part), Bytes(scratch) + worker * copy_bytes_,
                 row, std::min(row + row_block_, rows_), column,
                 std::min(column + column_block_, spec_.n), part.channel});
      });
}

ConvGemm::Operands ConvGemm::PartOf(const Operands& all,
                                    const Part& part) const {
  const auto b_bytes = static_cast<int64_t>(SizeOf(spec_.kernel->types.b));
  Operands at = all;
  at.x = Bytes(at.x) + part.x * x_bytes_;
  at.b = Bytes(at.b) + part.b * b_bytes;
  if (at.bias != nullptr) at.bias = Bytes(at.bias) + part.bias * c_bytes_;
  at.y = Bytes(at.y) + part.y * y_bytes_;
  if (at.addend != nullptr) at.addend = Bytes(at.addend) + part.y * c_bytes_;
  return at;
}

void ConvGemm::RunRows(int64_t begin, int64_t end, const Operands& operands,
                       void* thread_scratch) const {
  for (int64_t row = begin; row < end; row += row_block_) {
    RunTask({operands, Bytes(thread_scratch), row,
             std::min(row + row_block_, end), 0, spec_.n, 0, begin});
  }
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
    tile.c = OutputOffset(row - task.first_row);
    row += tile.m;
  }
  return num_tiles;
}

int ConvGemm::FindRows(const Task& task, int64_t k0, int64_t k1,
                       const Tile* tiles, int num_tiles, RowRun* runs) const {
  const int64_t mr = spec_.kernel->mr, row_bytes = copy_stride_ * x_bytes_;
  char* copies = task.copies;
  char* last_tile = task.copies + copy_bytes_ - mr * row_bytes;
  int64_t row = task.row_begin;
  int num_runs = 0;
  for (int i = 0; i < num_tiles; row += tiles[i++].m) {
    const Tile& tile = tiles[i];
    RowRun& run = runs[num_runs++];
    run.c = tile.c;
    // A packed tile takes at least half the time of a full one: packing a few
    // rows does not pay.
    run.packed = packs_rows_ && (packs_all_rows_ || tile.m > mr / 4);
    if (!run.packed) {
      bool found = FindInPlace(task, row, tile.m, k0, k1, &run.rows);
      if (found) continue;
      if (reads_in_place_ && !packs_rows_) {
        found = CopyWindows(task, row, tile.m, copies, &run.rows);
      }
      if (!found) run.rows = CopyRows(task, row, tile.m, k0, k1, copies);
      copies += tile.m * row_bytes;
      continue;
    }
    PackRows(task, row, tile.m, k0, k1, last_tile, copies);
    run.rows = {copies, tile.m, k1 - k0, 1, 0, 0};
    copies += PackedTile(k1 - k0);
    // Joins the previous run if that one is packed and ends where this one
    // begins.
    if (num_runs < 2 || !runs[num_runs - 2].packed) continue;
    RowRun& before = runs[num_runs - 2];
    const int64_t m = before.rows.m;
    if (m % mr != 0 || run.c != before.c + m * spec_.pixel_stride) continue;
    before.rows.m += tile.m;
    --num_runs;
  }
  return num_runs;
}

bool ConvGemm::FindInPlace(const Task& task, int64_t row, int64_t m, int64_t k0,
                           int64_t k1, Rows* rows) const {
  Patches::InPlace in_place;
  if (!reads_in_place_ || !spec_.patches.FindInPlace(row, m, &in_place)) {
    return false;
  }
  int64_t offset = in_place.offset, k = k1 - k0, segments = 1;
  if (in_place.segments == 1) {
    offset += k0;
  } else {
    offset += k0 / in_place.k * in_place.segment_stride;
    segments = k / in_place.k;
    k = in_place.k;
  }
  *rows = {InputAt(task, offset),  m, k, segments, in_place.row_stride,
           in_place.segment_stride};
  return true;
}

bool ConvGemm::CopyWindows(const Task& task, int64_t row, int64_t m, char* to,
                           Rows* rows) const {
  Patches::InPlace in_place;
  if (!spec_.patches.CopyWindows(task.at.x, x_bytes_, row, m, to, &in_place)) {
    return false;
  }
  *rows = {to,
           m,
           in_place.k,
           in_place.segments,
           in_place.row_stride,
           in_place.segment_stride};
  return true;
}

ConvGemm::Rows ConvGemm::CopyRows(const Task& task, int64_t row, int64_t m,
                                  int64_t k0, int64_t k1, char* to) const {
  spec_.patches.Copy(task.at.x, x_bytes_, row, m, k0, k1, to, copy_stride_);
  return {to, m, k1 - k0, 1, copy_stride_, 0};
}

void ConvGemm::PackRows(const Task& task, int64_t row, int64_t m, int64_t k0,
                        int64_t k1, char* copy, char* to) const {
  const GemmUkernel& kernel = *spec_.kernel;
  const Patches& patches = spec_.patches;
  const auto height = static_cast<size_t>(m);
  Rows rows;
  if (!FindInPlace(task, row, m, k0, k1, &rows)) {
    if (packs_all_rows_ && reads_in_place_ &&
        patches.channels % kernel.packing.k_tile == 0) {
      void* next = to;
      patches.ForEachTap<kGemmMaxRows>(
          Bytes(task.at.x), x_bytes_, row, m, k0, k1, zeros_.data(),
          [&](const void* const* pixels) {
            const auto k = static_cast<size_t>(patches.channels);
            next = kernel.pack({height, k, 1, pixels, 0}, next);
          });
      return;
    }
    rows = CopyRows(task, row, m, k0, k1, copy);
  }
  const void* at[kGemmMaxRows];
  for (int64_t i = 0; i < m; ++i) at[i] = rows.a + i * rows.stride * x_bytes_;
  kernel.pack(
      {height, static_cast<size_t>(rows.k), static_cast<size_t>(rows.segments),
       at, static_cast<ptrdiff_t>(rows.segment_stride)},
      to);
}

void ConvGemm::RunTask(const Task& task) const {
  if (kHas8BitKernels && spec_.kernel->is_quantized()) {
    return RunQuantized(task);
  }
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
  GemmTile t;
  const void* addend = sums_in_tile_ ? task.at.addend : nullptr;
  const ActivationFunction& f =
      addend != nullptr ? spec_.sum_activation : spec_.activation;
  t.lower = last ? f.lower() : -INFINITY;
  t.upper = last ? f.upper() : INFINITY;
  t.c_stride = t.addend_stride = spec_.pixel_stride;
  const bool has_bias = k0 == 0 && task.at.bias != nullptr;
  for (int64_t j = task.column_begin; j < task.column_end; j += nr) {
    t.n = std::min(nr, task.column_end - j);
    t.b = Bytes(task.at.b) + j / nr * PackedPanel(depth_) + PackedPanel(k0);
    t.bias = has_bias ? Bytes(task.at.bias) + j * c_bytes_ : nullptr;
    for (int i = 0; i < num_runs; ++i) {
      const Rows& rows = runs[i].rows;
      t.m = rows.m;
      t.k = rows.k;
      t.segments = rows.segments;
      t.a = rows.a;
      t.a_stride = rows.stride;
      t.segment_stride = rows.segment_stride;
      t.a_packed = runs[i].packed;
      const int64_t c = (runs[i].c + j) * c_bytes_;
      t.c = Bytes(task.at.y) + c;
      t.addend = k0 > 0 ? t.c : addend != nullptr ? Bytes(addend) + c : nullptr;
      spec_.kernel->fn(t);
    }
  }
}

void ConvGemm::Finish(const Task& task, const Tile* tiles,
                      int num_tiles) const {
  const void* addend = sums_in_tile_ ? nullptr : task.at.addend;
  if (!finish_.Needed(addend != nullptr)) return;
  for (int i = 0; i < num_tiles; ++i) {
    const int64_t c = (tiles[i].c + task.column_begin) * c_bytes_;
    finish_.Run(
        tiles[i].m, task.column_end - task.column_begin, spec_.pixel_stride,
        addend != nullptr ? Bytes(addend) + c : nullptr, Bytes(task.at.y) + c);
  }
}

}  // namespace mace::cpu
