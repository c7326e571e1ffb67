// Computes a Winograd convolution in blocks.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/winograd/winograd.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/cpu/gemm/outliers.h"
#include "mace/cpu/winograd/winograd_task.h"

namespace mace::cpu {
namespace {

// With at least this many rows of GEMM tiles per thread, threads share rows
// evenly enough.
constexpr int64_t kRowsPerThread = 4;
// Consecutive k of a row that are adjacent in rows packed for float
// micro-kernels.
constexpr ptrdiff_t kPackedK = 4;

int64_t NumTiles(const Winograd::Spec& spec) {
  const Window2D& window = spec.shape.window;
  return spec.shape.batch * CeilDiv(window.h.out, spec.m) *
         CeilDiv(window.w.out, spec.m);
}

}  // namespace

bool Winograd::Fits(const ConvShape& s) {
  const auto fits = [](const Window& w) {
    return w.kernel == 3 && w.stride == 1 && w.dilation == 1;
  };
  return s.group == 1 && fits(s.window.h) && fits(s.window.w);
}

Winograd::Winograd(const Spec& spec, const CpuContext& context)
    : spec_(spec),
      gemm_(spec.gemm.kernel),
      transforms_(&ChooseRow(kWinogradF32, context.features)),
      magnitude_(ChooseRow(kMagnitudeF32, context.features).fn),
      activator_(spec.activation, context.features),
      threads_(context.threads),
      area_((spec.m + 2) * (spec.m + 2)),
      zeros_(spec.shape.in_channels) {
  const Window2D& window = spec.shape.window;
  tile_lines_ = CeilDiv(window.h.out, spec.m);
  tile_columns_ = CeilDiv(window.w.out, spec.m);
  num_tiles_ = NumTiles(spec);
  v_stride_ = SpreadOverSets(spec.shape.in_channels);
  const int64_t bytes = BlocksOf(context.caches).rows_of(packed_bytes());
  PlanTasks(
      Doubled(bytes / static_cast<int64_t>(sizeof(float)), spec.gemm.block));
}

void Winograd::PlanTasks(int64_t block_floats) {
  const int64_t mr = gemm_->mr, nr = gemm_->nr;
  const int64_t threads = threads_->num_threads();
  const int64_t panels = CeilDiv(spec_.shape.out_channels, nr);
  const int64_t rows = CeilDiv(std::max<int64_t>(num_tiles_, 1), mr);
  int64_t most = std::max<int64_t>(block_floats / (area_ * v_stride_) / mr, 1);
  column_block_ = panels * nr;
  if (threads > 1) {
    // If there are few tiles, the threads share the channels and each
    // transforms all tiles.
    if (rows < kRowsPerThread * threads && panels >= threads) {
      column_block_ = EvenBlock(panels, panels, threads) * nr;
    } else {
      most = EvenBlock(rows, most, threads);
    }
  }
  // The same number of blocks, but of equal sizes.
  const int64_t blocks = CeilDiv(rows, most);
  tile_block_ =
      std::min(CeilDiv(rows, blocks) * mr, std::max<int64_t>(num_tiles_, 1));
  // Packed rows fill whole GEMM tiles.
  v_element_ = CeilDiv(tile_block_, mr) * mr * v_stride_;
  scratch_floats_ = area_ * (v_element_ + tile_block_ * nr);
}

int64_t Winograd::packed_bytes() const {
  return CeilDiv(spec_.shape.out_channels, gemm_->nr) * gemm_->nr * area_ *
         spec_.shape.in_channels * static_cast<int64_t>(sizeof(float));
}

std::string Winograd::packing() const {
  return StrCat("winograd ", spec_.m, " for ", gemm_->name);
}

std::string Winograd::variant() const {
  return StrCat("winograd ", spec_.m, " ", gemm_->name);
}

void Winograd::Pack(const float* filter, float* packed) const {
  const int64_t panels = CeilDiv(spec_.shape.out_channels, gemm_->nr);
  const int64_t floats = gemm_->nr * area_ * spec_.shape.in_channels;
  threads_->ParallelFor(panels, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      PackPanel(filter, i, packed + i * floats);
    }
  });
}

// `packed` is [A * A][in_channels][nr].
void Winograd::PackPanel(const float* filter, int64_t panel,
                         float* packed) const {
  const int64_t nr = gemm_->nr, channels = spec_.shape.in_channels;
  const int64_t first = panel * nr;
  const int64_t n = std::min(nr, spec_.shape.out_channels - first);
  float taps[9 * kWinogradMaxColumns] = {};
  WinogradFilterF32 t;
  t.n = nr;
  t.taps = taps;
  t.taps_stride = nr;
  t.u_stride = channels * nr;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t j = 0; j < n; ++j) {
      const float* from = filter + ((first + j) * channels + c) * 9;
      for (int64_t i = 0; i < 9; ++i) taps[i * nr + j] = from[i];
    }
    t.u = packed + c * nr;
    transforms_->set->filter[spec_.m / 2 - 1](t);
  }
}

int64_t Winograd::scratch_bytes() const {
  return threads_->num_threads() * scratch_floats_ *
         static_cast<int64_t>(sizeof(float));
}

void Winograd::Run(const float* x, const float* packed, const float* bias,
                   float* y, void* scratch) const {
  const int64_t blocks = CeilDiv(num_tiles_, tile_block_);
  const int64_t column_blocks =
      CeilDiv(spec_.shape.out_channels, column_block_);
  RunTasks(threads_, blocks * column_blocks, [&](size_t worker, size_t index) {
    const int64_t i = static_cast<int64_t>(index);
    Task task = {};
    task.x = x;
    task.packed = packed;
    task.bias = bias;
    task.y = y;
    task.v = static_cast<float*>(scratch) + worker * scratch_floats_;
    task.m = task.v + area_ * v_element_;
    task.tile_begin = i / column_blocks * tile_block_;
    task.tile_end = std::min(task.tile_begin + tile_block_, num_tiles_);
    task.column_begin = i % column_blocks * column_block_;
    task.column_end =
        std::min(task.column_begin + column_block_, spec_.shape.out_channels);
    RunTask(task);
  });
}

Winograd::Tile Winograd::TileAt(int64_t index) const {
  return {index / tile_columns_ / tile_lines_,
          index / tile_columns_ % tile_lines_, index % tile_columns_};
}

void Winograd::RunTask(const Task& task) const {
  const bool has_outliers = TransformInputs(task);
  for (int64_t j = task.column_begin; j < task.column_end; j += gemm_->nr) {
    const int64_t n = std::min<int64_t>(gemm_->nr, task.column_end - j);
    MultiplyPanel(task, j, n);
    TransformOutputs(task, j, n);
  }
  if (has_outliers) ComputeDirectly(task);
}

int64_t Winograd::PackedTiles(const Task& task) const {
  // The transforms write packed rows only if vectors of channels are as long as
  // the runs of k in packed rows.
  if (gemm_->packs == GemmPacks::kNever ||
      transforms_->set->lanes != kPackedK ||
      spec_.shape.in_channels % kPackedK != 0) {
    return 0;
  }
  // Packed rows are multiplied in at least half a GEMM tile: packing a few does
  // not pay.
  const int64_t rest = task.tiles() % gemm_->mr;
  return rest > gemm_->mr / 4 ? task.tiles() : task.tiles() - rest;
}

bool Winograd::TransformInputs(const Task& task) const {
  const int64_t packed = PackedTiles(task), mr = gemm_->mr;
  bool has_outliers = false;
  for (int64_t i = 0; i < packed; i += mr) {
    const int64_t tiles = std::min(mr, packed - i);
    const int64_t height = tiles > mr / 2 ? mr : mr / 2;
    has_outliers |= TransformTiles(
        task, task.tile_begin + i, task.tile_begin + i + tiles,
        {task.v + i * spec_.shape.in_channels, kPackedK, kPackedK * height});
  }
  has_outliers |= TransformTiles(
      task, task.tile_begin + packed, task.tile_end,
      {task.v + packed * v_stride_, v_stride_, transforms_->set->lanes});
  return has_outliers;
}

int64_t Winograd::SideBySide(int64_t first, int64_t end) const {
  return std::min(end - first, tile_columns_ - first % tile_columns_);
}

void Winograd::FindInputs(const Task& task, int64_t first,
                          WinogradLineF32* lines, WinogradInputF32* t) const {
  const Window &h = spec_.shape.window.h, &w = spec_.shape.window.w;
  const int64_t channels = spec_.shape.in_channels, a = spec_.m + 2;
  t->channels = channels;
  t->lines = lines;
  t->zeros = zeros_.data();
  const Tile tile = TileAt(first);
  const int64_t top = tile.line * spec_.m - h.pad_before;
  const int64_t left = tile.column * spec_.m - w.pad_before;
  const int64_t columns = (static_cast<int64_t>(t->tiles) - 1) * spec_.m + a;
  t->first = std::clamp<int64_t>(-left, 0, columns);
  t->end = std::clamp<int64_t>(w.in - left, t->first, columns);
  const float* image = task.x + tile.image * h.in * w.in * channels;
  for (int64_t r = 0; r < a; ++r) {
    const int64_t row = top + r;
    lines[r] = {zeros_.data(), 0};
    if (row < 0 || row >= h.in || t->first == t->end) continue;
    const int64_t column = left + static_cast<int64_t>(t->first);
    lines[r] = {image + (row * w.in + column) * channels,
                static_cast<ptrdiff_t>(channels)};
  }
}

bool Winograd::TransformTiles(const Task& task, int64_t first, int64_t end,
                              const Rows& rows) const {
  WinogradLineF32 lines[kWinogradMaxLines];
  WinogradInputF32 t;
  t.v = rows.v;
  t.v_stride = v_element_;
  t.tile_stride = rows.tile_stride;
  t.group_stride = rows.group_stride;
  bool has_outliers = false;
  for (int64_t i = first, n; i < end; i += n, t.v += n * rows.tile_stride) {
    n = std::min<int64_t>(SideBySide(i, end), kWinogradMaxTiles);
    t.tiles = n;
    FindInputs(task, i, lines, &t);
    has_outliers |= AnyOutlier(t);
    transforms_->set->input[spec_.m / 2 - 1](t);
  }
  return has_outliers;
}

// m[i] = v[i] * filter[i] for columns [column, column + n).
void Winograd::MultiplyPanel(const Task& task, int64_t column,
                             int64_t n) const {
  const int64_t channels = spec_.shape.in_channels, nr = gemm_->nr;
  GemmTile t;
  t.k = channels;
  t.segments = 1;
  t.a_stride = v_stride_;
  t.segment_stride = 0;
  const float* b = task.packed + column * area_ * channels;
  t.c_stride = nr;
  t.bias = nullptr;
  t.addend = nullptr;
  t.addend_stride = 0;
  t.lower = -INFINITY;
  t.upper = INFINITY;
  const int64_t packed = PackedTiles(task);
  for (int64_t i = 0; i < area_; ++i, b += channels * nr) {
    t.b = b;
    t.a = task.v + i * v_element_;
    t.c = task.m + i * tile_block_ * nr;
    t.m = packed;
    t.n = nr;  // m has room for rows of nr columns
    t.a_packed = true;
    if (packed > 0) gemm_->fn(t);
    t.n = n;
    t.a_packed = false;
    for (int64_t row = packed; row < task.tiles(); row += gemm_->mr) {
      t.m = std::min<int64_t>(gemm_->mr, task.tiles() - row);
      t.a = task.v + i * v_element_ + row * v_stride_;
      t.c = task.m + (i * tile_block_ + row) * nr;
      gemm_->fn(t);
    }
  }
}

void Winograd::TransformOutputs(const Task& task, int64_t column,
                                int64_t n) const {
  const Window &h = spec_.shape.window.h, &w = spec_.shape.window.w;
  const ActivationFunction& activation = spec_.activation;
  WinogradOutputF32 t;
  t.channels = n;
  t.m_stride = tile_block_ * gemm_->nr;
  t.tile_stride = gemm_->nr;
  t.bias = task.bias != nullptr ? task.bias + column : nullptr;
  t.pixel_stride = spec_.shape.out_channels;
  t.line_stride = w.out * t.pixel_stride;
  t.lower = activation.lower();
  t.upper = activation.upper();
  for (int64_t i = task.tile_begin, tiles; i < task.tile_end; i += tiles) {
    tiles = SideBySide(i, task.tile_end);
    const Tile tile = TileAt(i);
    const int64_t p = tile.line * spec_.m, q = tile.column * spec_.m;
    t.tiles = tiles;
    t.m = task.m + (i - task.tile_begin) * gemm_->nr;
    t.height = std::min<int64_t>(spec_.m, h.out - p);
    t.width = std::min<int64_t>(tiles * spec_.m, w.out - q);
    t.y = task.y + (tile.image * h.out + p) * t.line_stride +
          q * t.pixel_stride + column;
    transforms_->set->output[spec_.m / 2 - 1](t);
    if (activation.is_clamp()) continue;
    for (size_t row = 0; row < t.height; ++row) {
      for (size_t j = 0; j < t.width; ++j) {
        float* y = t.y + row * t.line_stride + j * t.pixel_stride;
        activator_.Apply(y, n, y);
      }
    }
  }
}

}  // namespace mace::cpu
