// Patches: the windows of an image as the rows of a matrix, the a operand of a
// convolution's GEMM.
// SPDX-License-Identifier: Apache-2.0
//
// Row (n, p, q) is window (p, q) of image n: its kernel_h x kernel_w pixels,
// `channels` elements each, zeros for those outside the image. The matrix is
// never built: rows are read in place where the micro-kernel can, else copied
// a few at a time. Elements are of any type whose zero is all bits zero: 1, 2
// or 4 bytes, as the caller says.
#ifndef MACE_CPU_GEMM_PATCHES_H_
#define MACE_CPU_GEMM_PATCHES_H_

#include <cstddef>
#include <cstdint>

#include "mace/ops/common/window.h"

namespace mace::cpu {

struct Patches {
  Window2D window;  // pad_before may be negative
  int64_t batch = 0;
  int64_t channels = 0;      // that a window reads
  int64_t pixel_stride = 0;  // elements between pixels: >= channels

  int64_t rows() const { return batch * window.h.out * window.w.out; }
  int64_t depth() const { return window.h.kernel * window.w.kernel * channels; }

  // Returns whether each row is one pixel, and consecutive rows are consecutive
  // pixels.
  bool is_matrix() const;

  // Rows that can be read in place as `segments` runs of k elements (see
  // gemm.h).
  struct InPlace {
    int64_t offset;  // elements from the first image to the first row
    int64_t row_stride;
    int64_t k;
    int64_t segments;
    int64_t segment_stride;
  };
  // Returns whether the m rows from `row` on can be read in place, and if so
  // describes them.
  bool FindInPlace(int64_t row, int64_t m, InPlace* in_place) const;

  // Copies the pixels of the windows of those rows, with zeros outside the
  // image, to `to`, at most m * depth() elements, so that the rows can be read
  // in place there. Returns false if that is not possible.
  bool CopyWindows(const void* x, size_t element_bytes, int64_t row, int64_t m,
                   void* to, InPlace* in_place) const;

  // Copies columns [k0, k1) of the m rows from `row` on, to rows that are
  // `to_stride` elements apart.
  void Copy(const void* x, size_t element_bytes, int64_t row, int64_t m,
            int64_t k0, int64_t k1, void* to, int64_t to_stride) const;

  // Calls f(pixels) for each tap of columns [k0, k1), of the m rows from `row`
  // on: pixels[i] is the pixel that the tap meets in row i, or `zeros` outside
  // the image. REQUIRES: k0 and k1 are multiples of channels; m <= kMaxRows.
  template <int kMaxRows, typename F>
  void ForEachTap(const char* x, size_t element_bytes, int64_t row, int64_t m,
                  int64_t k0, int64_t k1, const void* zeros, const F& f) const;
};

template <int kMaxRows, typename F>
void Patches::ForEachTap(const char* x, size_t element_bytes, int64_t row,
                         int64_t m, int64_t k0, int64_t k1, const void* zeros,
                         const F& f) const {
  const Window &h = window.h, &w = window.w;
  const int64_t pixel_bytes =
      pixel_stride * static_cast<int64_t>(element_bytes);
  struct Corner {
    int64_t line, top, left;  // `line` counts from the first image
  } corners[kMaxRows];
  for (int64_t i = 0; i < m; ++i) {
    const int64_t line = (row + i) / w.out;
    const int64_t top = line % h.out * h.stride - h.pad_before;
    corners[i] = {line / h.out * h.in + top, top,
                  (row + i) % w.out * w.stride - w.pad_before};
  }
  const void* pixels[kMaxRows];
  for (int64_t t = k0 / channels; t < k1 / channels; ++t) {
    const int64_t down = t / w.kernel * h.dilation;
    const int64_t right = t % w.kernel * w.dilation;
    for (int64_t i = 0; i < m; ++i) {
      const Corner& c = corners[i];
      const bool inside = c.top + down >= 0 && c.top + down < h.in &&
                          c.left + right >= 0 && c.left + right < w.in;
      const int64_t pixel = (c.line + down) * w.in + c.left + right;
      pixels[i] = inside ? x + pixel * pixel_bytes : zeros;
    }
    f(pixels);
  }
}

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_PATCHES_H_
