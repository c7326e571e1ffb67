// What the tiles of int8 times blocks, of eight columns, share on Arm.
// SPDX-License-Identifier: Apache-2.0
//
// `Tile` multiplies rows by a panel: SdotTile in gemm_blocks_8x8__dotprod.cc,
// SmmlaTile in gemm_blocks_4x8__i8mm.cc. It has
//
//   kGroup           adjacent values of a row and of a column: 4, or 8
//   Run<B, M>(tile)  computes M packed rows by up to eight columns
//
// Packed rows are RowsBlocks, tile after tile: a tile of mr rows has one
// RowsBlock of mr rows for each block of the depth. A last tile of fewer rows
// is cut into tiles of up to four rows, so that M has few values. With mr = 8
// and 14 rows:
//
//   rows 0-7: [blocks] RowsBlock<8>
//   rows 8-11: [blocks] RowsBlock<4> | rows 12-13: [blocks] RowsBlock<2>
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

// The largest number of rows of the tiles into which a tile of fewer than mr
// rows is cut.
constexpr int kFewBlockRows = 4;
constexpr size_t kBlockColumns = 8;

// A block of M rows has the bytes of M Q8Blocks, and for M = 1 also their
// layout: the scales, sums and starts of all rows, then kGroup values of each
// row, then the next kGroup values of each row, and so on. For M = 2 and kGroup
// = 8:
//
//   scale scale | sum sum | start start | row 0, k 0..7 | row 1, k 0..7 |
//   row 0, k 8..15 | row 1, k 8..15 | ...
//
// A vector of 16 bytes thus has a group of four rows for SDOT, or of two for
// SMMLA.
template <int M, int kGroup>
struct RowsBlock {
  float scales[M], sums[M];
  int32_t starts[M];
  int8_t values[kGemmBlock / kGroup][M][kGroup];
};

// Converts four fp16 to float.
inline float32x4_t Floats(const Fp16* fp16) {
  return vcvt_f32_f16(
      vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const uint16_t*>(fp16))));
}

// Returns p[0] to p[n - 1], then zeros. REQUIRES: n <= 4.
inline float32x4_t LoadSome(const float* p, size_t n) {
  float some[4] = {};
  for (size_t j = 0; j < n; ++j) some[j] = p[j];
  return vld1q_f32(some);
}

// Completes columns [column, column + n) of row i, at most four: adds bias and
// addend to the scaled `sums`, clamps and stores them. kAll: n is 4. No other
// column is read or written.
template <bool kAll>
inline void FinishFour(const GemmTile& t, int i, size_t column, size_t n,
                       float32x4_t sums) {
  const auto load = [n](const float* p) {
    return kAll ? vld1q_f32(p) : LoadSome(p, n);
  };
  if (t.bias != nullptr) {
    sums = vaddq_f32(sums, load(static_cast<const float*>(t.bias) + column));
  }
  if (t.addend != nullptr) {
    sums = vaddq_f32(sums, load(static_cast<const float*>(t.addend) +
                                i * t.addend_stride + column));
  }
  // NaN stays NaN.
  sums = vminq_f32(vmaxq_f32(sums, vdupq_n_f32(t.lower)), vdupq_n_f32(t.upper));
  float* c = static_cast<float*>(t.c) + i * t.c_stride + column;
  if (kAll) {
    vst1q_f32(c, sums);
    return;
  }
  float some[4];
  vst1q_f32(some, sums);
  for (size_t j = 0; j < n; ++j) c[j] = some[j];
}

// Completes the columns of row i from 4 * h to 4 * h + 3 that the tile has,
// perhaps none. `sums` are the sums of blocks, `scale` is the scale of the row.
inline void FinishHalf(const GemmTile& t, int i, int h, float scale,
                       float32x4_t sums) {
  const size_t column = 4 * static_cast<size_t>(h);
  sums = vmulq_n_f32(sums, scale);
  if (t.n >= column + 4) return FinishFour<true>(t, i, column, 4, sums);
  if (t.n > column) FinishFour<false>(t, i, column, t.n - column, sums);
}

// Quantizes the next block of a row as QuantizeRow, and returns the sum of its
// values. n > 0 is the number of elements of the row from x on. FCVTNS rounds
// ties to even.
inline int32_t QuantizeBlock(const float* x, size_t n, const RowScale& row,
                             int8_t (&to)[kGemmBlock]) {
  float some[kGemmBlock] = {};
  if (n < kGemmBlock || !row.is_finite) {
    if (row.is_finite) __builtin_memcpy(some, x, n * sizeof(float));
    x = some;
  }
  int32x4_t sums = vdupq_n_s32(0);
#pragma GCC unroll 2
  for (size_t i = 0; i < kGemmBlock; i += 16) {
    const auto four = [&](size_t k) {
      return vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + i + k), row.inverse));
    };
    const int32x4_t a = four(0), b = four(4), c = four(8), d = four(12);
    sums = vaddq_s32(sums, vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d)));
    // The lower halves of all lanes, which have the values.
    const int16x8_t ab =
        vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
    const int16x8_t cd =
        vuzp1q_s16(vreinterpretq_s16_s32(c), vreinterpretq_s16_s32(d));
    vst1q_s8(to + i,
             vuzp1q_s8(vreinterpretq_s8_s16(ab), vreinterpretq_s8_s16(cd)));
  }
  return vaddvq_s32(sums);
}

// Quantizes rows [first, first + m) as QuantizeRow, to blocks in which kGroup
// values of a row are adjacent: [ceil(k / 32)] RowsBlock<m, kGroup>, whose
// fields are found by hand, as m is not a constant.
template <int kGroup, int kStart>
inline void PackSomeRows(GemmUnpackedOf<float> rows, size_t first, size_t m,
                         Q8Block* to) {
  for (size_t i = 0; i < m; ++i) {
    const float* x = rows.row(first + i);
    const RowScale row(LargestMagnitude(x, rows->k));
    for (size_t k = 0; k < rows->k; k += kGemmBlock) {
      auto* scales = reinterpret_cast<float*>(to + k / kGemmBlock * m);
      auto* starts = reinterpret_cast<int32_t*>(scales + 2 * m);
      auto* values = reinterpret_cast<int8_t*>(starts + m) + i * kGroup;
      int8_t block[kGemmBlock];
      const int32_t sum = QuantizeBlock(x + k, rows->k - k, row, block);
#pragma GCC unroll 8
      for (size_t g = 0; g < kGemmBlock; g += kGroup) {
        __builtin_memcpy(values + g * m, block + g, kGroup);
      }
      scales[i] = row.scale;
      scales[m + i] = static_cast<float>(sum);
      starts[i] = kStart * sum;
    }
  }
}
// Packs a tile of up to kRows rows, cut as the file comment shows. Returns the
// end, rows->m * ceil(k / 32) Q8Blocks after `to`. REQUIRES: rows have one
// segment.
template <int kRows, int kGroup, int kStart>
inline Q8Block* PackRows(GemmUnpackedOf<float> rows, Q8Block* to) {
  const size_t blocks = (rows->k + kGemmBlock - 1) / kGemmBlock;
  const size_t at_once = rows->m < kRows ? kFewBlockRows : kRows;
  for (size_t first = 0; first < rows->m; first += at_once) {
    const size_t left = rows->m - first;
    const size_t m = left < at_once ? left : at_once;
    PackSomeRows<kGroup, kStart>(rows, first, m, to);
    to += blocks * m;
  }
  return to;
}

// Calls Tile::Run<B, m>(t), where m is t->m. REQUIRES: t->m is M, or if M is at
// most kFewBlockRows, in [1, M].
template <typename Tile, typename B, int M>
void RunTile(GemmBlocksTile<B> t) {
  if constexpr (M > 1 && M <= kFewBlockRows) {
    if (static_cast<int>(t->m) < M) return RunTile<Tile, B, M - 1>(t);
  }
  Tile::template Run<B, M>(t);
}
// Multiplies all packed rows by a panel: first whole tiles of kRows rows, then
// the other rows, which PackRows has cut into tiles of up to kFewBlockRows
// rows.
template <int kRows, typename Tile, typename B>
inline void MultiplyBlocks(GemmBlocksTile<B> tile) {
  GemmTile whole = *tile, last = *tile;
  last.m %= kRows;
  whole.m -= last.m;
  const auto first = static_cast<ptrdiff_t>(whole.m);
  last.a = tile.a() + whole.m * ((tile->k + kGemmBlock - 1) / kGemmBlock);
  last.c = tile.c() + first * tile->c_stride;
  if (last.addend != nullptr) {
    last.addend = tile.addend() + first * tile->addend_stride;
  }
  ForEachTile<kRows, 1, kGemmBlock>(GemmBlocksTile<B>(whole),
                                    RunTile<Tile, B, kRows>);
  ForEachTile<kFewBlockRows, 1, kGemmBlock>(GemmBlocksTile<B>(last),
                                            RunTile<Tile, B, kFewBlockRows>);
}

// Multiplies one row by all panels, which lie one behind the other: the body of
// a GemmUkernel::row. t->n may be any number of columns.
template <typename Tile, typename B>
inline void MultiplyRow(GemmBlocksTile<B> t) {
  GemmTile one = *t;
  const auto* b =
      reinterpret_cast<const GemmPanelBlock<B, kBlockColumns, Tile::kGroup>*>(
          t.b());
  const size_t blocks = (t->k + kGemmBlock - 1) / kGemmBlock;
  for (size_t column = 0; column < t->n; column += kBlockColumns, b += blocks) {
    const size_t left = t->n - column;
    one.n = left < kBlockColumns ? left : kBlockColumns;
    one.b = b;
    one.c = t.c() + column;
    if (t.bias() != nullptr) one.bias = t.bias() + column;
    if (t.addend() != nullptr) one.addend = t.addend() + column;
    Tile::template Run<B, 1>(GemmBlocksTile<B>(one));
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_ARM_H_
