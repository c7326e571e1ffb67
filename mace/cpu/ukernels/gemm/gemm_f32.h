// f32 GEMM micro-kernels: one tile of c = clamp(a * b + bias + addend).
// SPDX-License-Identifier: Apache-2.0
//
// A row of `a` is `segments` runs of k floats each, so that a window of an
// image in [H, W, C] layout is a row without being copied:
//
//            k floats     segment_stride
//   row 0   |xxxxxxxx|................|xxxxxxxx|......   segments = 2
//   row 1      |xxxxxxxx|                |xxxxxxxx|      a_stride = 3
//
// `b` is packed: for each of the segments * k rows, nr floats, those from n on
// being anything finite. Files are named gemm_f32_{MR}x{NR}__{isa}.cc.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_H_

#include <cstddef>

namespace mace::cpu {

struct GemmF32Tile {
  size_t m;  // rows of c, in [1, mr]; any number of packed ones
  size_t n;  // columns of c, in [1, nr]
  size_t k;  // floats per segment, > 0
  size_t segments;
  const float* a;
  ptrdiff_t a_stride;        // floats between rows
  ptrdiff_t segment_stride;  // floats between segments of a row
  const float* b;
  float* c;
  ptrdiff_t c_stride;  // floats between rows
  const float* bias;   // n floats; null: zeros
  // m x n floats, or null for zeros; c itself or apart from it.
  const float* addend;
  ptrdiff_t addend_stride;  // floats between rows
  float lower, upper;       // bounds of the result
  // a is what GemmF32PackFn writes, one tile after the other; the last may have
  // fewer rows.
  bool a_packed = false;
};

// Writes m x n floats. No read beyond the extents above.
using GemmF32Fn = void(const GemmF32Tile& tile);

// Rows of a as in a tile.
struct GemmF32Rows {
  size_t m;
  size_t k;
  size_t segments;
  const float* a;
  ptrdiff_t a_stride;
  ptrdiff_t segment_stride;
};

// Packs a tile of at most mr rows, as if there were `height` of them: mr, or
// mr / 2 if no more are given. They must pass by many panels of b to make up
// for it. With d = segments * k, writes d * height floats:
//
//   [d / 4][height][4]   four k of each row side by side, then
//   [d % 4][height]      one k of all rows
inline constexpr ptrdiff_t kGemmF32PackedK = 4;
using GemmF32PackFn = void(const GemmF32Rows& rows, float* to);

// What packed operands consist of. Micro-kernels of fp16 (gemm_half.h) have
// the same tile, whose a and b then point to fp16, and take packed rows only.
struct GemmOperands {
  size_t bytes = 4;   // of an element
  size_t group = 1;   // so many k of a column of b lie side by side
  size_t k_tile = 1;  // a packed row is as long as if k were a multiple of it
};

GemmF32Fn gemm_f32_4x4__scalar;
GemmF32Fn gemm_f32_6x16__avx2;
GemmF32Fn gemm_f32_14x32__avx512;
GemmF32Fn gemm_f32_8x48__avx512;
GemmF32Fn gemm_f32_8x8__aarch64;
GemmF32PackFn gemm_f32_pack_8__aarch64;
GemmF32Fn gemm_f32_4x8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_H_
