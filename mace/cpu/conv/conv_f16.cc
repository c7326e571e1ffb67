// Blocking, packing and running a convolution of fp16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_f16.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

// Fp16 values of k that a tile multiplies at a time: a panel of b this deep
// (times 16 columns: 32 KiB) stays in the first-level cache.
constexpr int64_t kMaxDepth = 1024;
// Fp16 values of `a` in a row block: a quarter of a 512 KiB second-level cache.
constexpr int64_t kBlockFp16 = 64 * 1024;
constexpr int64_t kStep = kGemmF16Step;
constexpr int64_t kMaxRows = 8;  // of a tile

// As many as a register holds, wherever they are.
typedef uint16_t Step
    __attribute__((vector_size(2 * kStep), aligned(2), may_alias));

inline void CopyStep(const uint16_t* from, uint16_t* to) {
  *reinterpret_cast<Step*>(to) = *reinterpret_cast<const Step*>(from);
}

// k fp16 values of kM rows, a step of each in turn, zeros behind the last.
template <int kM>
uint16_t* PackSteps(const uint16_t* const* rows, int64_t k, uint16_t* to) {
  const uint16_t* from[kM];
  for (int i = 0; i < kM; ++i) from[i] = rows[i];
  int64_t at = 0;
  for (; at + kStep <= k; at += kStep) {
    for (int i = 0; i < kM; ++i, to += kStep) {
      CopyStep(from[i] + at, to);
    }
  }
  if (at == k) return to;
  for (int i = 0; i < kM; ++i, to += kStep) {
    std::fill_n(to, kStep, uint16_t{0});
    std::copy_n(from[i] + at, k - at, to);
  }
  return to;
}

// std::copy_n without the cost of a call, for a few channels: the last step
// overlaps the one before.
inline void CopyRun(const uint16_t* from, int64_t n, uint16_t* to) {
  if (n < kStep) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i < n - kStep; i += kStep) CopyStep(from + i, to + i);
  CopyStep(from + n - kStep, to + n - kStep);
}

uint16_t* Pack(const uint16_t* const* rows, int64_t m, int64_t k,
               uint16_t* to) {
  static constexpr decltype(&PackSteps<1>) kOf[kMaxRows] = {
      PackSteps<1>, PackSteps<2>, PackSteps<3>, PackSteps<4>,
      PackSteps<5>, PackSteps<6>, PackSteps<7>, PackSteps<8>};
  return kOf[m - 1](rows, k, to);
}

}  // namespace

const GemmF16& ConvF16::Choose(CpuFeatures features) {
  const GemmF16* row = kGemmF16Rows;
  while ((row->tile.isa & features) != row->tile.isa) ++row;
  return *row;
}

ConvF16::ConvF16(const Spec& spec, const CpuContext& context)
    : kernel_(&Choose(context.features)),
      spec_(spec),
      activator_(spec.activation, context.features),
      num_threads_(context.threads->num_threads()),
      rows_(spec.patches.rows()),
      depth_(spec.patches.depth()),
      zeros_(spec.patches.channels) {
  PlanDepth();
  PlanTasks(num_threads_);
}

void ConvF16::PlanDepth() {
  const Patches& patches = spec_.patches;
  depth_block_ = depth_;
  if (depth_ <= kMaxDepth) return;
  if (patches.is_matrix()) {
    depth_block_ = AlignUp(CeilDiv(depth_, CeilDiv(depth_, kMaxDepth)), kStep);
    return;
  }
  // Whole lines of the window, that end where a step does.
  const int64_t line = patches.window.w.kernel * patches.channels;
  const int64_t lines = std::max<int64_t>(kMaxDepth / line, 1);
  depth_block_ = line * (line % kStep == 0 ? lines : AlignUp(lines, kStep));
}

void ConvF16::PlanTasks(int64_t num_threads) {
  const int64_t nr = kernel_->tile.nr, mr = kernel_->tile.mr;
  const int64_t panels = CeilDiv(spec_.n, nr);
  const int64_t tiles = CeilDiv(std::max<int64_t>(rows_, 1), mr);
  int64_t block = std::max<int64_t>(kBlockFp16 / depth_block_ / mr, 1);
  column_block_ = panels * nr;
  if (num_threads > 1 && panels > tiles) {
    column_block_ = EvenBlock(panels, panels, num_threads) * nr;
  } else if (num_threads > 1) {
    block = EvenBlock(tiles, block, num_threads);
  }
  // As few blocks as that, but equal ones.
  row_block_ = CeilDiv(tiles, CeilDiv(tiles, block)) * mr;
}

int64_t ConvF16::padded_n() const { return AlignUp(spec_.n, kernel_->tile.nr); }

int64_t ConvF16::thread_scratch_fp16() const {
  const int64_t depth = AlignUp(std::min(depth_block_, depth_), kStep);
  return AlignUp((row_block_ + kMaxRows) * depth, kAlignment / 2);
}

int64_t ConvF16::scratch_bytes() const {
  return num_threads_ * thread_scratch_fp16() *
         static_cast<int64_t>(sizeof(uint16_t));
}

void ConvF16::Run(ThreadPool* threads, const Operands& operands,
                  void* scratch) const {
  const int64_t column_blocks = CeilDiv(spec_.n, column_block_);
  const int64_t row_blocks = CeilDiv(rows_, row_block_);
  auto* fp16 = static_cast<uint16_t*>(scratch);
  RunTasks(threads, row_blocks * column_blocks,
           [&](size_t worker, size_t index) {
             const auto i = static_cast<int64_t>(index);
             const int64_t row = i / column_blocks * row_block_;
             const int64_t column = i % column_blocks * column_block_;
             RunTask({operands, fp16 + worker * thread_scratch_fp16(), row,
                      std::min(row + row_block_, rows_), column,
                      std::min(column + column_block_, spec_.n)});
           });
}

void ConvF16::RunTask(const Task& task) const {
  const int64_t mr = kernel_->tile.mr;
  for (int64_t k0 = 0; k0 < depth_; k0 += depth_block_) {
    const int64_t k1 = std::min(k0 + depth_block_, depth_);
    const int64_t depth = AlignUp(k1 - k0, kStep);
    uint16_t* copy = task.scratch + row_block_ * depth;
    for (int64_t row = task.row_begin; row < task.row_end; row += mr) {
      PackTile(task.at.x, row, std::min(mr, task.row_end - row), k0, k1, copy,
               task.scratch + (row - task.row_begin) * depth);
    }
    MultiplyPanels(task, k0, k1);
  }
  if (spec_.activation.is_clamp()) return;
  const int64_t columns = task.column_end - task.column_begin;
  uint16_t* y = task.at.y + task.row_begin * spec_.n + task.column_begin;
  for (int64_t row = task.row_begin; row < task.row_end; ++row, y += spec_.n) {
    activator_.Apply(y, columns, y);
  }
}

void ConvF16::MultiplyPanels(const Task& task, int64_t k0, int64_t k1) const {
  const int64_t nr = kernel_->tile.nr;
  const bool first = k0 == 0, last = k1 == depth_;
  GemmF16Tile t;
  t.m = task.row_end - task.row_begin;
  t.k = k1 - k0;
  t.a = task.scratch;
  t.c_stride = spec_.n;
  t.lower = last ? spec_.activation.lower() : -INFINITY;
  t.upper = last ? spec_.activation.upper() : INFINITY;
  const Operands& at = task.at;
  for (int64_t j = task.column_begin; j < task.column_end; j += nr) {
    const int64_t offset = task.row_begin * spec_.n + j;
    t.n = std::min(nr, task.column_end - j);
    t.b = at.b + j * depth_ + k0 * nr;
    t.bias = first && at.bias != nullptr ? at.bias + j : nullptr;
    t.c = at.y + offset;
    t.addend = t.c;
    if (first) t.addend = at.addend != nullptr ? at.addend + offset : nullptr;
    kernel_->fn(t);
  }
}

void ConvF16::PackTile(const uint16_t* x, int64_t row, int64_t m, int64_t k0,
                       int64_t k1, uint16_t* rows, uint16_t* to) const {
  const Patches& patches = spec_.patches;
  const uint16_t* from[kMaxRows];
  Patches::InPlace runs;
  if (patches.is_matrix()) {
    for (int64_t i = 0; i < m; ++i) {
      from[i] = x + (row + i) * patches.pixel_stride + k0;
    }
    Pack(from, m, k1 - k0, to);
    return;
  }
  const bool found = patches.FindInPlace(row, m, &runs);
  if (found && (runs.segments == 1 || runs.k % kStep == 0)) {
    const bool single = runs.segments == 1;
    const int64_t k = single ? k1 - k0 : runs.k;
    const uint16_t* at =
        x + runs.offset + (single ? k0 : k0 / k * runs.segment_stride);
    for (; k0 < k1; k0 += k, at += runs.segment_stride) {
      for (int64_t i = 0; i < m; ++i) from[i] = at + i * runs.row_stride;
      to = Pack(from, m, k, to);
    }
    return;
  }
  const int64_t channels = patches.channels;
  if (channels % kStep == 0) {
    ForEachTap(x, row, m, k0, k1, [&](int64_t, const uint16_t* const* pixels) {
      to = Pack(pixels, m, channels, to);
    });
    return;
  }
  const int64_t depth = k1 - k0;
  if (found) {
    const uint16_t* at = x + runs.offset + k0 / runs.k * runs.segment_stride;
    for (int64_t k = 0; k < depth; k += runs.k, at += runs.segment_stride) {
      for (int64_t i = 0; i < m; ++i) {
        CopyRun(at + i * runs.row_stride, runs.k, rows + i * depth + k);
      }
    }
  } else {
    ForEachTap(
        x, row, m, k0, k1, [&](int64_t t, const uint16_t* const* pixels) {
          for (int64_t i = 0; i < m; ++i) {
            CopyRun(pixels[i], channels, rows + i * depth + t * channels);
          }
        });
  }
  for (int64_t i = 0; i < m; ++i) from[i] = rows + i * depth;
  Pack(from, m, depth, to);
}

template <typename F>
void ConvF16::ForEachTap(const uint16_t* x, int64_t row, int64_t m, int64_t k0,
                         int64_t k1, const F& f) const {
  const Patches& patches = spec_.patches;
  const Window &h = patches.window.h, &w = patches.window.w;
  struct Corner {
    int64_t line, top, left;  // line of all images that the window's top is
  } corners[kMaxRows];
  for (int64_t i = 0; i < m; ++i) {
    const int64_t line = (row + i) / w.out;
    const int64_t top = line % h.out * h.stride - h.pad_before;
    corners[i] = {line / h.out * h.in + top, top,
                  (row + i) % w.out * w.stride - w.pad_before};
  }
  const int64_t first = k0 / patches.channels, end = k1 / patches.channels;
  const uint16_t* pixels[kMaxRows];
  for (int64_t t = first; t < end; ++t) {
    const int64_t down = t / w.kernel * h.dilation;
    const int64_t right = t % w.kernel * w.dilation;
    for (int64_t i = 0; i < m; ++i) {
      const Corner& c = corners[i];
      const bool inside = c.top + down >= 0 && c.top + down < h.in &&
                          c.left + right >= 0 && c.left + right < w.in;
      const int64_t pixel = (c.line + down) * w.in + c.left + right;
      pixels[i] = inside ? x + pixel * patches.pixel_stride : zeros_.data();
    }
    f(t - first, pixels);
  }
}

}  // namespace mace::cpu
