// GEMM of rows that are quantized to int8 while the model runs (dynamic
// quantization) and weights in blocks of 32 along k:
// c = clamp(row's scale * sum of block's scale * dot + bias + addend).
// SPDX-License-Identifier: Apache-2.0
//
// Float rows are quantized symmetrically while they are packed: the scale of a
// row is its largest magnitude / 127. Weights are int4, int4 with a zero point
// for each block, or int8. Scales of blocks and zero points are fp16. For row i
// and column j, over the blocks k:
//
//   c = clamp(scale[i] * sum(scale[k][j] * dot[k][i][j]) + bias[j] + addend)
//   dot[k][i][j] = sum over the block of value[i] * (weight[j] - zero[k][j])
//   zero: 8 of Q4Block, the block's own of Q4ZeroBlock, 0 of W8Block
//
// A dot is exact in int32 and in float. With a zero point of the block's own,
// it is rounded to float: once, or on AMX twice if zero - 8 is not exact.
// Scaled dots are added in float, in the order of k, with or without FMA: the
// results of micro-kernels differ by rounding only.
//
//   a, packed tiles of up to mr rows   [ceil(k / 32)][m] Q8Block, or as many
//                                      bytes in another order (AMX, Arm)
//   b, a panel of nr columns           [ceil(k / 32)] GemmPanelBlock
//
// The last block of a row is filled with zeros, so that weights behind the end
// of the row do not matter. Rows have one segment. A GemmPanelBlock<Q4Block, 8,
// 4> has 144 bytes. Each byte has two int4, elements `low|high` of the block:
//
//   scales[8]      fp16, of columns 0 to 7
//                    column 0               column 1           ...  column 7
//   bytes[0]       0|16 1|17 2|18 3|19    0|16 1|17 2|18 3|19
//   bytes[1]       4|20 5|21 6|22 7|23    ...
//   bytes[2]       8|24 ...
//   bytes[3]      12|28 ...                          (low half | high half)
//
// so that a vector of bytes & 15 and one of bytes >> 4 are two groups of all
// columns, each of which an instruction multiplies by four values of a row.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

// Consecutive k that share a scale, as in mace/graph/stored_weight.h.
constexpr size_t kGemmBlock = 32;

// A block of a row. `start` and `sum` save a micro-kernel work on each weight:
// the dot of unsigned weights begins with `start`; but if weights have zero
// points, it begins with 0, and `sum` times the zero point is subtracted.
struct Q8Block {
  float scale;    // of the whole row, the same in all its blocks
  float sum;      // of the values: an integer, its magnitude at most 32 * 127
  int32_t start;  // kStart * sum: makes up for the offset of unsigned weights
  // In [-127, 127]: never -128, whose magnitude would not fit an int8.
  int8_t values[kGemmBlock];
};

// Blocks of one column, which tell the types of weights apart. Only these types
// and their sizes are used: in memory, packed blocks are GemmPanelBlocks. Bits
// 0-3 of pair i are element i, bits 4-7 element i + 16:
// element = scale * (value - 8), ...
struct Q4Block {
  Fp16 scale;
  uint8_t pairs[kGemmBlock / 2];
};
// ... or scale * (value - zero), ...
struct Q4ZeroBlock {
  Fp16 scale, zero;
  uint8_t pairs[kGemmBlock / 2];
};
// ... or, of int8, scale * value.
struct W8Block {
  Fp16 scale;
  int8_t values[kGemmBlock];
};

// The blocks of all columns of a panel, with kGroup adjacent bytes of each
// column in turn. For a micro-kernel that reads unsigned int8, bytes are values
// plus 128. A GemmPanelBlock has no padding, kColumns times the bytes of B, and
// only the alignment of fp16.
template <typename B, size_t kColumns, size_t kGroup>
struct GemmPanelBlock;
template <size_t kColumns, size_t kGroup>
struct GemmPanelBlock<Q4Block, kColumns, kGroup> {
  Fp16 scales[kColumns];
  uint8_t bytes[kGemmBlock / 2 / kGroup][kColumns][kGroup];
};
template <size_t kColumns, size_t kGroup>
struct GemmPanelBlock<Q4ZeroBlock, kColumns, kGroup> {
  Fp16 scales[kColumns], zeros[kColumns];
  uint8_t bytes[kGemmBlock / 2 / kGroup][kColumns][kGroup];
};
template <size_t kColumns, size_t kGroup>
struct GemmPanelBlock<W8Block, kColumns, kGroup> {
  Fp16 scales[kColumns];
  uint8_t bytes[kGemmBlock / kGroup][kColumns][kGroup];
};

template <>
constexpr Element ElementOf<Q8Block>() {
  return Element::kQ8Block;
}
template <>
constexpr Element ElementOf<Q4Block>() {
  return Element::kQ4Block;
}
template <>
constexpr Element ElementOf<Q4ZeroBlock>() {
  return Element::kQ4ZeroBlock;
}
template <>
constexpr Element ElementOf<W8Block>() {
  return Element::kW8Block;
}

// Tiles of packed rows by weights of type B. `b` points to GemmPanelBlocks,
// which a micro-kernel casts to those of its own sizes.
template <typename B>
using GemmBlocksTile = GemmTileOf<Q8Block, B, float, int32_t>;
using GemmQ4Tile = GemmBlocksTile<Q4Block>;
using GemmQ4ZeroTile = GemmBlocksTile<Q4ZeroBlock>;
using GemmW8Tile = GemmBlocksTile<W8Block>;

constexpr GemmTypes GemmBlocksOf(Element b) {
  return {Element::kF32, Element::kQ8Block, b, Element::kF32, Element::kI32};
}
constexpr GemmTypes kGemmQ4 = GemmBlocksOf(Element::kQ4Block);
constexpr GemmTypes kGemmQ4Zero = GemmBlocksOf(Element::kQ4ZeroBlock);
constexpr GemmTypes kGemmW8 = GemmBlocksOf(Element::kW8Block);

// kStart, the factor of Q8Block::start: minus the offset of weights that are
// multiplied unsigned, int4 in [0, 15] and int8 plus 128. kStart is 0 for
// signed int8. `start` is not used for weights with a zero point.
constexpr int kStartOfQ4 = -8, kStartOfUnsigned = -128;

namespace {

// Returns the largest magnitude of n elements, 0 if there are none, or a number
// that is not finite if there is one: NaN before infinity.
inline float LargestMagnitude(const float* x, size_t n) {
  // As integers, magnitudes have the order of floats, and NaNs are the largest.
  int32_t largest = 0;
  for (size_t i = 0; i < n; ++i) {
    int32_t bits;
    __builtin_memcpy(&bits, x + i, sizeof(bits));
    bits &= 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  float magnitude;
  __builtin_memcpy(&magnitude, &largest, sizeof(magnitude));
  return magnitude;
}

// Rows whose largest magnitude is less than kMinMagnitude become zeros. For all
// other finite rows, 127 / largest is finite.
constexpr float kMinMagnitude = 0x1p-119f;

// How a row with this largest magnitude is quantized: a value is element *
// `inverse`, rounded to the nearest, and stands for value * `scale`. A row with
// NaN or infinity becomes zeros with a scale of NaN, so that all its results
// are NaN.
struct RowScale {
  explicit RowScale(float largest)
      : is_finite(largest < __builtin_inff()),
        inverse(largest >= kMinMagnitude && is_finite ? 127 / largest : 0),
        scale(is_finite ? largest / 127 : __builtin_nanf("")) {}

  bool is_finite;
  float inverse, scale;
};

// Quantizes a row of n > 0 elements to blocks that are `stride` Q8Blocks apart.
// Fills the last block with zeros. Ties are rounded to even. kStart is
// kStartOfQ4, kStartOfUnsigned or 0.
template <int kStart>
inline void QuantizeRow(const float* x, size_t n, size_t stride, Q8Block* to) {
  const RowScale row(LargestMagnitude(x, n));
  for (size_t k = 0; k < n; k += kGemmBlock, to += stride) {
    float block[kGemmBlock] = {};
    const size_t count = n - k < kGemmBlock ? n - k : kGemmBlock;
    if (row.is_finite) __builtin_memcpy(block, x + k, count * sizeof(float));
    int32_t sum = 0;
    for (size_t i = 0; i < kGemmBlock; ++i) {
      const auto value =
          static_cast<int32_t>(__builtin_rintf(block[i] * row.inverse));
      to->values[i] = static_cast<int8_t>(value);
      sum += value;
    }
    to->scale = row.scale;
    to->sum = static_cast<float>(sum);
    to->start = kStart * sum;
  }
}

// Packs rows as [ceil(k / 32)][m] Q8Blocks; the definition of a GemmPackFn for
// blocks. REQUIRES: rows have one segment each.
template <int kStart>
inline Q8Block* PackQ8Blocks(GemmUnpackedOf<float> rows, Q8Block* to) {
  const size_t blocks = (rows->k + kGemmBlock - 1) / kGemmBlock;
  for (size_t i = 0; i < rows->m; ++i) {
    QuantizeRow<kStart>(rows.row(i), rows->k, rows->m, to + i);
  }
  return to + blocks * rows->m;
}

// Prefetches `bytes` bytes of weights that come from memory, from kAhead bytes
// after b on. Harmless beyond the end of the weights. For tiles of few rows,
// which wait for memory and not for products. Does nothing on Arm.
inline void PrefetchPanel(const void* b, size_t bytes) {
#if defined(__x86_64__)
  constexpr size_t kAhead = 2048, kStep = 64;  // a cache line
  const char* from = static_cast<const char*>(b) + kAhead;
#pragma GCC unroll 16
  for (size_t i = 0; i < bytes; i += kStep) __builtin_prefetch(from + i);
#else
  static_cast<void>(b);
  static_cast<void>(bytes);
#endif
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_H_
