// Running a product of codes: packing rows, multiplying and requantizing tiles.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/product_q8.h"

#include <algorithm>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

// Sums that become codes with one call of a micro-kernel, which reads its
// factors once for all of them: those of 4 tiles of 12x32, or of 3 of 16x32.
constexpr int64_t kSumsAtOnce = 4 * 12 * 32;
static_assert(kSumsAtOnce >= kGemmQ8MaxSums);
// Rows by which parts of the largest tiles differ in cost.
constexpr int64_t kRowStep = 4;
// Fewer rows are not worth reading the panels of a filter for.
constexpr int64_t kLeastRows = 12;

}  // namespace

ProductQ8::ProductQ8(const Spec& spec, PanelsQ8 filter,
                     const CpuContext& context)
    : spec_(spec),
      filter_(std::move(filter)),
      threads_(context.threads),
      num_threads_(spec.one_thread ? 1 : threads_->num_threads()),
      rows_(spec.patches.rows()),
      panels_(CeilDiv(spec.n, spec.micro->nr)) {
  const GemmUkernel& micro = *spec.micro;
  depth_ = AlignUp(spec.patches.depth(), micro.packing.k_pad);
  tile_bytes_ = AlignUp(
      AlignUp(depth_, micro.packing.k_tile) * micro.mr * micro.a_bytes(),
      kAlignment);
  PlanTasks(context);
  const Window2D& window = spec.patches.window;
  const int64_t taps = window.h.kernel * window.w.kernel;
  runs_at_ = CeilDiv(packed_rows_, micro.mr) * tile_bytes_;
  row_add_at_ =
      runs_at_ + AlignUp(micro.mr * taps * static_cast<int64_t>(sizeof(void*)),
                         kAlignment);
  thread_bytes_ =
      row_add_at_ + (filter_.zero_point() == 0
                         ? 0
                         : AlignUp(AlignUp(packed_rows_, micro.mr) *
                                       static_cast<int64_t>(sizeof(int32_t)),
                                   kAlignment));
  const Window& w = window.w;
  if (w.dilation == 1 &&
      (w.kernel == 1 || spec.patches.channels == spec.patches.pixel_stride)) {
    inside_begin_ =
        std::min(CeilDiv(std::max<int64_t>(w.pad_before, 0), w.stride), w.out);
    const int64_t last = w.in + w.pad_before - w.extent();
    inside_end_ = last < 0
                      ? inside_begin_
                      : std::clamp(last / w.stride + 1, inside_begin_, w.out);
  }
  is_matrix_ = spec.patches.is_matrix();
  pixels_are_lines_ = spec.patches.channels % micro.packing.k_tile == 0;
  zeros_.assign(static_cast<size_t>(spec.patches.channels),
                static_cast<uint8_t>(spec.x_zero));
}

void ProductQ8::PlanTasks(const CpuContext& context) {
  const int64_t mr = spec_.micro->mr, nr = spec_.micro->nr;
  const Blocks blocks = BlocksOf(context.caches);
  const int64_t block = blocks.rows_of(panels_ * nr * depth_);
  const int64_t rows = std::max<int64_t>(rows_, 1);  // a picture may be empty
  const int64_t tiles = CeilDiv(rows, mr);
  const int64_t threads = num_threads_;
  int64_t row_tiles = std::clamp<int64_t>(block / tile_bytes_, 1, tiles);
  panel_block_ = panels_;
  if (threads > 1 && panels_ > tiles) {
    panel_block_ = EvenBlock(panels_, panels_, threads);
  } else if (threads > 1) {
    row_tiles = EvenBlock(tiles, row_tiles, threads);
  }
  // The same number of blocks, but of equal sizes. For several threads they are
  // not whole tiles: a part of a tile takes about as much less as it has fewer
  // rows, and 14x14 pixels are 16 tiles and a third.
  const int64_t row_blocks = CeilDiv(tiles, row_tiles);
  row_block_ = threads == 1 ? CeilDiv(tiles, row_blocks) * mr
                            : AlignUp(CeilDiv(rows, row_blocks), kRowStep);
  // Where all panels of a task stay in the first-level cache beside some tiles,
  // reading them again for each such part of the rows costs nothing.
  tiles_at_once_ = kSumsAtOnce / (mr * nr);
  const int64_t room = blocks.first_level - panel_block_ * nr * depth_;
  const int64_t part = std::clamp(
      std::max(blocks.part / tile_bytes_, tiles_at_once_ / 2), int64_t{1},
      std::min(tiles_at_once_, std::max<int64_t>(room / tile_bytes_, 1)));
  const bool panels_stay =
      part * mr >= kLeastRows && part * tile_bytes_ <= room;
  packed_rows_ = panels_stay ? std::min(row_block_, part * mr) : row_block_;
}

int64_t ProductQ8::SafeDistanceBytes() const {
  if (spec_.group > 1 || panel_block_ < panels_) return -1;
  const Patches& patches = spec_.patches;
  const Window2D& window = patches.window;
  // A single thread is done with the rows that it packs before it packs others.
  const int64_t threads = num_threads_;
  const int64_t piece = threads == 1 ? packed_rows_ : row_block_;
  const auto output_end = [&](int64_t block) {
    return std::min((block + 1) * piece, rows_) * spec_.n;
  };
  const auto input_begin = [&](int64_t block) {
    const int64_t row = block * piece;
    if (patches.is_matrix()) return row * patches.pixel_stride;
    // The first pixel of the first line that the row's window reads.
    const int64_t line = row / window.w.out;
    const int64_t top =
        line % window.h.out * window.h.stride - window.h.pad_before;
    return (line / window.h.out * window.h.in + std::max<int64_t>(top, 0)) *
           window.w.in * patches.pixel_stride;
  };
  return SafeDistance(CeilDiv(rows_, piece), threads, output_end, input_begin);
}

void ProductQ8::Run(const uint8_t* x, uint8_t* y, int64_t row_stride,
                    void* scratch) const {
  const int64_t y_stride = row_stride > 0 ? row_stride : spec_.n * spec_.group;
  const int64_t column_blocks = CeilDiv(panels_, panel_block_);
  const int64_t row_blocks = CeilDiv(rows_, row_block_);
  const Patches& patches = spec_.patches;
  const bool in_order =
      RangesOverlap(y, rows_ * y_stride, x,
                    patches.batch * patches.window.h.in * patches.window.w.in *
                        patches.pixel_stride);
  const Task whole = WholeTask(x, filter_.data(), y, y_stride);
  RunTasks(threads_, static_cast<size_t>(row_blocks * column_blocks), in_order,
           [&](size_t worker, size_t index) {
             const auto i = static_cast<int64_t>(index);
             const int64_t row = i / column_blocks * row_block_;
             const int64_t panel = i % column_blocks * panel_block_;
             Task task = whole;
             task.scratch = static_cast<char*>(scratch) +
                            static_cast<int64_t>(worker) * thread_bytes_;
             task.row_begin = row;
             task.row_end = std::min(row + row_block_, rows_);
             task.panel_begin = panel;
             task.panel_end = std::min(panel + panel_block_, panels_);
             RunTask(task);
           });
}

void ProductQ8::RunRows(int64_t begin, int64_t end, const uint8_t* x,
                        const FilterDataQ8& filter, uint8_t* y,
                        void* scratch) const {
  Task task = WholeTask(x, filter, y, spec_.n * spec_.group);
  task.y_row = begin;
  task.scratch = static_cast<char*>(scratch);
  task.row_begin = begin;
  task.row_end = end;
  RunTask(task);
}

ProductQ8::Task ProductQ8::WholeTask(const uint8_t* x,
                                     const FilterDataQ8& filter, uint8_t* y,
                                     int64_t y_stride) const {
  const StageQ8& stage = filter_.stage();
  const GemmUkernel& micro = *spec_.micro;
  GemmRequantizedFn* codes =
      filter_.zero_point() == 0 &&
              stage.IsWithin(micro.epilogue.bits, micro.epilogue.max_right)
          ? micro.epilogue.fn
          : nullptr;
  return {x,     filter, y,     y_stride, 0,      nullptr, &stage.Micro(),
          codes, 0,      rows_, 0,        panels_};
}

void ProductQ8::RunTask(const Task& task) const {
  const int64_t mr = spec_.micro->mr, step = tiles_at_once_ * mr;
  Task part = task;
  for (int64_t g = 0; g < spec_.group; ++g) {
    Place place = PlaceOf(task.row_begin);
    for (part.row_begin = task.row_begin; part.row_begin < task.row_end;
         part.row_begin = part.row_end) {
      part.row_end = std::min(part.row_begin + packed_rows_, task.row_end);
      char* to = part.scratch;
      for (int64_t row = part.row_begin; row < part.row_end; row += mr) {
        PackTile(part, g, row, std::min(mr, part.row_end - row), &place, to);
        to += tile_bytes_;
      }
      for (int64_t p = part.panel_begin; p < part.panel_end; ++p) {
        const char* a = part.scratch;
        for (int64_t row = part.row_begin; row < part.row_end; row += step) {
          RunTiles(part, g, p, row, std::min(step, part.row_end - row), a);
          a += tiles_at_once_ * tile_bytes_;
        }
      }
    }
  }
}

ProductQ8::Place ProductQ8::PlaceOf(int64_t row) const {
  const Window &h = spec_.patches.window.h, &w = spec_.patches.window.w;
  const int64_t line = row / w.out;
  return {line / h.out, line % h.out, row % w.out};
}

void ProductQ8::Advance(int64_t n, Place* place) const {
  const Window2D& window = spec_.patches.window;
  place->q += n;
  while (place->q >= window.w.out) {
    place->q -= window.w.out;
    if (++place->p < window.h.out) continue;
    place->p = 0;
    ++place->image;
  }
}

int64_t ProductQ8::SpanOf(const Place& place, int64_t m, bool* inside) const {
  const Window &h = spec_.patches.window.h, &w = spec_.patches.window.w;
  const int64_t q = place.q, top = place.p * h.stride - h.pad_before;
  const int64_t rest = std::min(m, w.out - q);
  *inside = top >= 0 && top + h.extent() <= h.in && q >= inside_begin_ &&
            q < inside_end_;
  if (*inside) return std::min(rest, inside_end_ - q);
  return q < inside_begin_ ? std::min(rest, inside_begin_ - q) : rest;
}

const uint8_t* ProductQ8::FirstLine(const uint8_t* x,
                                    const Place& place) const {
  const Window &h = spec_.patches.window.h, &w = spec_.patches.window.w;
  const int64_t top = place.p * h.stride - h.pad_before;
  return x + ((place.image * h.in + top) * w.in + place.q * w.stride -
              w.pad_before) *
                 spec_.patches.pixel_stride;
}

void ProductQ8::FindPixels(const uint8_t* x, Place place, int64_t m,
                           const uint8_t** runs) const {
  const Patches& patches = spec_.patches;
  const Window &h = patches.window.h, &w = patches.window.w;
  const int64_t stride = patches.pixel_stride, line_bytes = w.in * stride;
  for (int64_t i = 0; i < m; ++i, Advance(1, &place)) {
    const int64_t top = place.p * h.stride - h.pad_before;
    const int64_t left = place.q * w.stride - w.pad_before;
    const uint8_t* image = x + place.image * h.in * line_bytes;
    const uint8_t** to = runs + i;
    for (int64_t r = 0, y = top; r < h.kernel; ++r, y += h.dilation) {
      const bool in_line = y >= 0 && y < h.in;
      int64_t offset = y * line_bytes + left * stride;
      for (int64_t c = 0, at = left; c < w.kernel; ++c, at += w.dilation) {
        const bool inside = in_line && at >= 0 && at < w.in;
        *to = inside ? image + offset : zeros_.data();
        offset += w.dilation * stride;
        to += m;
      }
    }
  }
}

void ProductQ8::PackTile(const Task& task, int64_t g, int64_t row, int64_t m,
                         Place* place, char* to) const {
  const Patches& patches = spec_.patches;
  const Window &h = patches.window.h, &w = patches.window.w;
  const int64_t pixel = patches.pixel_stride;
  const uint8_t* x = task.x + g * patches.channels;
  const bool adds = filter_.zero_point() != 0;
  auto* sums = reinterpret_cast<int32_t*>(task.scratch + row_add_at_) +
               (row - task.row_begin);
  const auto** runs =
      reinterpret_cast<const uint8_t**>(task.scratch + runs_at_);
  // Packs n rows from i on, of `segments` runs of `length` codes.
  const auto pack = [&](int64_t i, int64_t n, int64_t segments, int64_t length,
                        const Steps& steps) {
    const GemmUkernel& micro = *spec_.micro;
    GemmRuns rows = {static_cast<size_t>(n),
                     static_cast<size_t>(length),
                     static_cast<size_t>(segments),
                     runs,
                     spec_.x.flip,
                     adds ? sums + i : nullptr};
    if (steps.first != nullptr) SetSteps(steps, runs, &rows);
    micro.pack_runs(rows, to + i * micro.packing.k_tile * micro.a_bytes());
  };
  if (is_matrix_) {
    pack(0, m, 1, patches.depth(), {x + row * pixel, pixel, 0});
  }
  for (int64_t i = is_matrix_ ? m : 0; i < m;) {
    bool inside;
    int64_t n = SpanOf(*place, m - i, &inside);
    if (n < m && pixels_are_lines_) {
      n = m;
      inside = false;
    }
    if (inside) {
      pack(i, n, h.kernel, w.kernel * patches.channels,
           {FirstLine(x, *place), w.stride * pixel, h.dilation * w.in * pixel});
    } else {
      FindPixels(x, *place, n, runs);
      pack(i, n, h.kernel * w.kernel, patches.channels, {nullptr, 0, 0});
    }
    Advance(n, place);
    i += n;
  }
  const auto factor = static_cast<uint32_t>(-filter_.zero_point());
  for (int64_t i = 0; adds && i < m; ++i) {
    sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) * factor);
  }
}

void ProductQ8::SetSteps(const Steps& steps, const uint8_t** runs,
                         GemmRuns* rows) const {
  if (spec_.micro->packing.takes_steps) {
    rows->runs = nullptr;
    rows->first = steps.first;
    rows->row_step = steps.row;
    rows->run_step = steps.run;
    return;
  }
  const auto m = static_cast<int64_t>(rows->m);
  const auto segments = static_cast<int64_t>(rows->segments);
  const uint8_t* line = steps.first;
  for (int64_t s = 0; s < segments; ++s, line += steps.run) {
    const uint8_t* from = line;
    for (int64_t i = 0; i < m; ++i, from += steps.row) *runs++ = from;
  }
}

void ProductQ8::RunTiles(const Task& task, int64_t g, int64_t panel,
                         int64_t row, int64_t m, const char* a) const {
  const int64_t mr = spec_.micro->mr, nr = spec_.micro->nr;
  if (task.codes != nullptr && (panel + 1) * nr <= spec_.n) {
    const int64_t tiles = m / mr;
    MultiplyToCodes(task, g, panel, row, tiles, a);
    row += tiles * mr;
    m -= tiles * mr;
    a += tiles * tile_bytes_;
  }
  if (m > 0) MultiplyTiles(task, g, panel, row, m, a);
}

void ProductQ8::MultiplyToCodes(const Task& task, int64_t g, int64_t panel,
                                int64_t row, int64_t tiles,
                                const char* a) const {
  const StageQ8& stage = filter_.stage();
  const int64_t channel = filter_.channel(g, panel);
  const StageQ8::Numbers to = stage.numbers(channel);
  const int64_t stride = task.y_stride;
  task.codes({static_cast<size_t>(tiles), static_cast<size_t>(depth_), a,
              static_cast<ptrdiff_t>(tile_bytes_),
              task.filter.panels + filter_.offset(g, panel),
              task.filter.start + channel, to.mantissa, to.left, to.right,
              to.zero_point, to.least, to.most,
              task.y + (row - task.y_row) * stride + g * spec_.n +
                  panel * spec_.micro->nr,
              static_cast<ptrdiff_t>(stride)});
}

void ProductQ8::MultiplyTiles(const Task& task, int64_t g, int64_t panel,
                              int64_t row, int64_t m, const char* a) const {
  const GemmUkernel& micro = *spec_.micro;
  // Requantizing reads whole vectors.
  alignas(kAlignment) int32_t sums[kSumsAtOnce + kRequantizeQ8Columns];
  const int64_t first = panel * micro.nr, channel = filter_.channel(g, panel);
  const int64_t n = std::min<int64_t>(micro.nr, spec_.n - first);
  GemmTile tile = {};
  tile.n = static_cast<size_t>(n);
  tile.k = static_cast<size_t>(depth_);
  tile.a = a;
  tile.b = task.filter.panels + filter_.offset(g, panel);
  tile.c = sums;
  tile.bias = task.filter.start + channel;
  const int64_t step = micro.mr * micro.nr;
  tile.m = static_cast<size_t>(micro.mr);
  int64_t left = m;
  for (; left >= micro.mr; left -= micro.mr) {
    micro.fn(tile);
    tile.a = static_cast<const char*>(tile.a) + tile_bytes_;
    tile.c = static_cast<int32_t*>(tile.c) + step;
  }
  tile.m = static_cast<size_t>(left);
  if (left > 0) micro.fn(tile);
  const auto* row_add =
      filter_.zero_point() == 0
          ? nullptr
          : reinterpret_cast<const int32_t*>(task.scratch + row_add_at_) +
                (row - task.row_begin);
  const int64_t stride = task.y_stride;
  filter_.stage().Run(
      *task.requantize,
      {m, n, channel, sums, micro.nr, row_add,
       task.y + (row - task.y_row) * stride + g * spec_.n + first, stride});
}

}  // namespace mace::cpu
