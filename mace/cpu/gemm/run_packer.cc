// Finding the runs of windows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/run_packer.h"

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"

namespace mace::cpu {

RunPacker::RunPacker(const Patches& patches, const GemmUkernel& kernel,
                     uint8_t flip, int32_t x_zero)
    : patches_(patches),
      kernel_(&kernel),
      flip_(flip),
      is_matrix_(patches.is_matrix()),
      pixels_are_lines_(patches.channels % kernel.packing.k_tile == 0),
      // Rows that are pixels have none outside of the image.
      zeros_(is_matrix_ ? 0 : static_cast<size_t>(patches.channels),
             static_cast<uint8_t>(x_zero)) {
  const Window& w = patches.window.w;
  if (w.dilation == 1 &&
      (w.kernel == 1 || patches.channels == patches.pixel_stride)) {
    inside_begin_ =
        std::min(CeilDiv(std::max<int64_t>(w.pad_before, 0), w.stride), w.out);
    const int64_t last = w.in + w.pad_before - w.extent();
    inside_end_ = last < 0
                      ? inside_begin_
                      : std::clamp(last / w.stride + 1, inside_begin_, w.out);
  }
}

int64_t RunPacker::scratch_bytes() const {
  const Window2D& window = patches_.window;
  return AlignUp(kernel_->mr * window.h.kernel * window.w.kernel *
                     static_cast<int64_t>(sizeof(void*)),
                 kAlignment);
}

RunPacker::Position RunPacker::PositionOf(int64_t row) const {
  const Window &h = patches_.window.h, &w = patches_.window.w;
  const int64_t line = row / w.out;
  return {line / h.out, line % h.out, row % w.out};
}

void RunPacker::Advance(int64_t n, Position* position) const {
  const Window2D& window = patches_.window;
  position->q += n;
  while (position->q >= window.w.out) {
    position->q -= window.w.out;
    if (++position->p < window.h.out) continue;
    position->p = 0;
    ++position->image;
  }
}

int64_t RunPacker::SpanOf(const Position& position, int64_t m,
                          bool* inside) const {
  const Window &h = patches_.window.h, &w = patches_.window.w;
  const int64_t q = position.q, top = position.p * h.stride - h.pad_before;
  const int64_t rest = std::min(m, w.out - q);
  *inside = top >= 0 && top + h.extent() <= h.in && q >= inside_begin_ &&
            q < inside_end_;
  if (*inside) return std::min(rest, inside_end_ - q);
  return q < inside_begin_ ? std::min(rest, inside_begin_ - q) : rest;
}

const uint8_t* RunPacker::FirstLine(const uint8_t* x,
                                    const Position& position) const {
  const Window &h = patches_.window.h, &w = patches_.window.w;
  const int64_t top = position.p * h.stride - h.pad_before;
  return x + ((position.image * h.in + top) * w.in + position.q * w.stride -
              w.pad_before) *
                 patches_.pixel_stride;
}

void RunPacker::FindPixels(const uint8_t* x, Position position, int64_t m,
                           const uint8_t** runs) const {
  const Window &h = patches_.window.h, &w = patches_.window.w;
  const int64_t stride = patches_.pixel_stride, line_bytes = w.in * stride;
  for (int64_t i = 0; i < m; ++i, Advance(1, &position)) {
    const int64_t top = position.p * h.stride - h.pad_before;
    const int64_t left = position.q * w.stride - w.pad_before;
    const uint8_t* image = x + position.image * h.in * line_bytes;
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

void RunPacker::SetSteps(const Steps& steps, const uint8_t** runs,
                         GemmRuns* rows) const {
  if (kernel_->packing.takes_steps) {
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

void RunPacker::Pack(const uint8_t* x, int64_t row, int64_t m,
                     Position* position, int32_t* sums, void* scratch,
                     char* to) const {
  const Patches& patches = patches_;
  const Window &h = patches.window.h, &w = patches.window.w;
  const int64_t pixel = patches.pixel_stride;
  const auto** runs = static_cast<const uint8_t**>(scratch);
  // Packs n rows from i on, of `segments` runs of `length` values.
  const auto pack = [&](int64_t i, int64_t n, int64_t segments, int64_t length,
                        const Steps& steps) {
    const GemmUkernel& micro = *kernel_;
    GemmRuns rows = {static_cast<size_t>(n),
                     static_cast<size_t>(length),
                     static_cast<size_t>(segments),
                     runs,
                     flip_,
                     sums != nullptr ? sums + i : nullptr};
    if (steps.first != nullptr) SetSteps(steps, runs, &rows);
    micro.pack_runs(rows, to + i * micro.packing.k_tile * micro.a_bytes());
  };
  if (is_matrix_) {
    pack(0, m, 1, patches.depth(), {x + row * pixel, pixel, 0});
  }
  for (int64_t i = is_matrix_ ? m : 0; i < m;) {
    bool inside;
    int64_t n = SpanOf(*position, m - i, &inside);
    if (n < m && pixels_are_lines_) {
      n = m;
      inside = false;
    }
    if (inside) {
      pack(i, n, h.kernel, w.kernel * patches.channels,
           {FirstLine(x, *position), w.stride * pixel,
            h.dilation * w.in * pixel});
    } else {
      FindPixels(x, *position, n, runs);
      pack(i, n, h.kernel * w.kernel, patches.channels, {nullptr, 0, 0});
    }
    Advance(n, position);
    i += n;
  }
}

}  // namespace mace::cpu
