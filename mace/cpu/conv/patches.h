// Patches: the windows of an image as the rows of a matrix, the a operand of a
// convolution's GEMM.
// SPDX-License-Identifier: Apache-2.0
//
// Row (n, p, q) is window (p, q) of image n: its kernel_h x kernel_w pixels,
// `channels` floats each, zeros for those outside the image. The matrix is
// never built: rows are read in place where the micro-kernel can, else copied
// a few at a time.
#ifndef MACE_CPU_CONV_PATCHES_H_
#define MACE_CPU_CONV_PATCHES_H_

#include <cstdint>

#include "mace/ops/common/window.h"

namespace mace::cpu {

struct Patches {
  Window2D window;  // pad_before may be negative
  int64_t batch = 0;
  int64_t channels = 0;      // that a window sees
  int64_t pixel_stride = 0;  // floats between pixels: >= channels

  int64_t rows() const { return batch * window.h.out * window.w.out; }
  int64_t depth() const { return window.h.kernel * window.w.kernel * channels; }

  // Whether each row is one pixel, and the next row the next pixel.
  bool is_matrix() const;

  // Whether the m rows from `row` on can be read in place as `segments` runs
  // of k floats (see gemm_f32.h), and how.
  struct InPlace {
    int64_t offset;  // floats from the first image to the first row
    int64_t row_stride;
    int64_t k;
    int64_t segments;
    int64_t segment_stride;
  };
  bool FindInPlace(int64_t row, int64_t m, InPlace* in_place) const;

  // Copies what the windows of those rows look at, with zeros for what lies
  // outside of the image, so that the rows can be read in place from `to`: at
  // most m * depth() floats. False where they cannot.
  bool CopyWindows(const float* x, int64_t row, int64_t m, float* to,
                   InPlace* in_place) const;

  // Copies columns [k0, k1) of the m rows from `row` on.
  void Copy(const float* x, int64_t row, int64_t m, int64_t k0, int64_t k1,
            float* to, int64_t to_stride) const;

 private:
  void CopyRow(const float* image, int64_t p, int64_t q, int64_t k0, int64_t k1,
               float* to) const;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_PATCHES_H_
