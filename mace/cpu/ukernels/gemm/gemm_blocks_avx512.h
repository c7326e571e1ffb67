// What micro-kernels of int8 times blocks of 16 columns share on AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// Included by gemm_blocks_14x16__avx512vnni.cc and
// gemm_blocks_16x16__amxint8.cc, which take the same panels; their rows are
// packed in different ways. A group of weights is a vector, [16 columns][4 of
// k], and the sums of a row are one vector of floats.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX512_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX512_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumns = 16, kGroup = 4;
// A block of a panel: one vector of scales, and four or eight of weights.
template <typename B>
using Panel = GemmPanelBlock<B, kColumns, kGroup>;

// Converts 16 fp16 to float.
inline __m512 Floats(const Fp16* fp16) {
  return _mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(fp16)));
}

// Writes rows of c: clamp(sum * scale + bias + addend), for the first n of 16
// columns; nothing beyond them is read or written. The GemmTile must outlive
// the RowWriter.
class RowWriter {
 public:
  template <typename Tile>
  explicit RowWriter(const Tile& t)
      : tile_(*t),
        columns_(static_cast<__mmask16>((1u << t->n) - 1)),
        bias_(t.bias() != nullptr ? _mm512_maskz_loadu_ps(columns_, t.bias())
                                  : _mm512_setzero_ps()),
        lower_(_mm512_set1_ps(t->lower)),
        upper_(_mm512_set1_ps(t->upper)) {}

  // Writes row `row`, from the sum of its blocks and the scale of this row of
  // a.
  void Write(ptrdiff_t row, __m512 sum, float scale) const {
    __m512 c = _mm512_fmadd_ps(sum, _mm512_set1_ps(scale), bias_);
    if (tile_.addend != nullptr) {
      const float* addend =
          static_cast<const float*>(tile_.addend) + row * tile_.addend_stride;
      c = _mm512_add_ps(c, _mm512_maskz_loadu_ps(columns_, addend));
    }
    // Both instructions return the second operand if either is NaN.
    c = _mm512_min_ps(upper_, _mm512_max_ps(lower_, c));
    _mm512_mask_storeu_ps(static_cast<float*>(tile_.c) + row * tile_.c_stride,
                          columns_, c);
  }

 private:
  const GemmTile& tile_;
  __mmask16 columns_;
  __m512 bias_, lower_, upper_;
};

// Returns the same bits as LargestMagnitude.
inline float LargestMagnitude16(const float* x, size_t n) {
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  __m512i largest = _mm512_setzero_si512();
  for (; n >= 16; n -= 16, x += 16) {
    largest = _mm512_max_epi32(
        largest, _mm512_and_si512(_mm512_loadu_si512(x), magnitude));
  }
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  largest = _mm512_max_epi32(
      largest, _mm512_and_si512(_mm512_maskz_loadu_epi32(mask, x), magnitude));
  const int32_t bits = _mm512_reduce_max_epi32(largest);
  float found;
  __builtin_memcpy(&found, &bits, sizeof(found));
  return found;
}

// Quantizes a row as QuantizeRow, but for the layout: writes the 32 values of
// the first block to `to`. write(scale, sum) is called after each block, stores
// these two, and returns where the values of the next block go. Nothing is
// written to the pointer that write returns last.
//
// For a row with NaN or infinity, a mask of no elements loads zeros.
template <typename Write>
inline void QuantizeRow16(const float* x, size_t n, int8_t* to,
                          const Write& write) {
  const RowScale row(LargestMagnitude16(x, n));
  const __m512 inverse = _mm512_set1_ps(row.inverse);
  const uint32_t all = row.is_finite ? ~uint32_t{0} : 0;
  for (size_t k = 0; k < n; k += kGemmBlock) {
    const uint32_t mask =
        n - k < kGemmBlock ? all & ((uint32_t{1} << (n - k)) - 1) : all;
    const __m512i low = _mm512_cvtps_epi32(_mm512_mul_ps(
        _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), x + k), inverse));
    const __m512i high = _mm512_cvtps_epi32(_mm512_mul_ps(
        _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), x + k + 16),
        inverse));
    auto* values = reinterpret_cast<__m128i*>(to);
    _mm_storeu_si128(values, _mm512_cvtepi32_epi8(low));
    _mm_storeu_si128(values + 1, _mm512_cvtepi32_epi8(high));
    to = write(row.scale, _mm512_reduce_add_epi32(_mm512_add_epi32(low, high)));
  }
}

// Packs rows to the same bytes as PackQ8Blocks.
template <int kStart>
inline Q8Block* PackQ8Blocks16(GemmUnpackedOf<float> rows, Q8Block* to) {
  const size_t blocks = (rows->k + kGemmBlock - 1) / kGemmBlock;
  for (size_t i = 0; i < rows->m; ++i) {
    Q8Block* block = to + i;
    QuantizeRow16(rows.row(i), rows->k, block->values,
                  [&](float scale, int32_t sum) {
                    block->scale = scale;
                    block->sum = static_cast<float>(sum);
                    block->start = kStart * sum;
                    block += rows->m;
                    return block->values;
                  });
  }
  return to + blocks * rows->m;
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_AVX512_H_
