// Packs rows of codes on AVX-512, in lines of 64 bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_Q8_GEMM_Q8_PACK_AVX512_H_
#define MACE_CPU_UKERNELS_GEMM_Q8_GEMM_Q8_PACK_AVX512_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm_q8/gemm_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kPackLine = 64;

// Returns the sum of bytes as unsigned numbers in each of 8 lanes.
inline __m512i ByteSums(__m512i bytes) {
  return _mm512_sad_epu8(bytes, _mm512_setzero_si512());
}

// Packs one row of a tile of kRows rows, and returns its sum.
template <size_t kRows>
inline int32_t PackRow(const GemmQ8Rows& rows, size_t i, uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(rows.flip));
  __m512i sums = _mm512_setzero_si512();
  const bool adds = rows.sums != nullptr;
  size_t at = 0;  // in the line
  for (size_t s = 0; s < rows.segments; ++s) {
    const uint8_t* from = rows.runs[s * rows.m + i];
    size_t left = rows.n;
    for (; at == 0 && left >= kPackLine; left -= kPackLine) {
      const __m512i x = _mm512_xor_si512(_mm512_loadu_si512(from), flip);
      _mm512_storeu_si512(to, x);
      if (adds) sums = _mm512_add_epi64(sums, ByteSums(x));
      from += kPackLine;
      to += kRows * kPackLine;
    }
    while (left > 0) {
      const size_t n = left < kPackLine - at ? left : kPackLine - at;
      const __mmask64 first = ~uint64_t{0} >> (kPackLine - n);
      const __m512i x = _mm512_maskz_mov_epi8(
          first, _mm512_xor_si512(_mm512_maskz_loadu_epi8(first, from), flip));
      _mm512_mask_storeu_epi8(to + at, first, x);
      if (adds) sums = _mm512_add_epi64(sums, ByteSums(x));
      from += n;
      left -= n;
      at += n;
      if (at < kPackLine) continue;
      at = 0;
      to += kRows * kPackLine;
    }
  }
  return adds ? static_cast<int32_t>(_mm512_reduce_add_epi64(sums)) : 0;
}

// Packs rows of one run each, whose sums are not wanted.
template <size_t kRows>
inline void PackRuns(const GemmQ8Rows& rows, uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(rows.flip));
  for (size_t at = 0; at < rows.n; at += kPackLine, to += kRows * kPackLine) {
    const size_t left = rows.n - at;
    uint8_t* line = to;
    if (left >= kPackLine) {
      for (size_t i = 0; i < rows.m; ++i, line += kPackLine) {
        const __m512i x = _mm512_loadu_si512(rows.runs[i] + at);
        _mm512_storeu_si512(line, _mm512_xor_si512(x, flip));
      }
      continue;
    }
    const __mmask64 here = ~uint64_t{0} >> (kPackLine - left);
    for (size_t i = 0; i < rows.m; ++i, line += kPackLine) {
      const __m512i x = _mm512_maskz_loadu_epi8(here, rows.runs[i] + at);
      _mm512_mask_storeu_epi8(line, here, _mm512_xor_si512(x, flip));
    }
  }
}

// Vectors that are no longer than short runs: masked ones of 64 bytes are
// stored in four times the time.
struct Codes16 {
  static constexpr size_t kCodes = 16;
  static void Copy(__mmask32 mask, const uint8_t* from, __m256i flip,
                   uint8_t* to) {
    const auto here = static_cast<__mmask16>(mask);
    const __m128i x = _mm_maskz_loadu_epi8(here, from);
    _mm_mask_storeu_epi8(to, here,
                         _mm_xor_si128(x, _mm256_castsi256_si128(flip)));
  }
};
struct Codes32 {
  static constexpr size_t kCodes = 32;
  static void Copy(__mmask32 here, const uint8_t* from, __m256i flip,
                   uint8_t* to) {
    const __m256i x = _mm256_maskz_loadu_epi8(here, from);
    _mm256_mask_storeu_epi8(to, here, _mm256_xor_si256(x, flip));
  }
};

// Packs rows of runs of at most Codes::kCodes, as windows of pictures have
// them, whose sums are not wanted.
template <size_t kRows, typename Codes>
inline void PackShortRuns(const GemmQ8Rows& rows, uint8_t* to) {
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(rows.flip));
  const __mmask32 whole = ~0u >> (32 - rows.n);
  for (size_t i = 0; i < rows.m; ++i) {
    uint8_t* line = to + i * kPackLine;
    size_t at = 0;
    for (size_t s = 0; s < rows.segments; ++s) {
      const uint8_t* from = rows.runs[s * rows.m + i];
      const size_t room = kPackLine - at;
      at += rows.n;
      if (at < kPackLine) {
        Codes::Copy(whole, from, flip, line + at - rows.n);
        continue;
      }
      Codes::Copy(whole >> (rows.n - room), from, flip,
                  line + kPackLine - room);
      at -= kPackLine;
      line += kRows * kPackLine;
      if (at > 0) Codes::Copy(whole >> room, from + room, flip, line);
    }
  }
}

template <size_t kRows>
inline void PackTile(const GemmQ8Rows& rows, void* to) {
  if (rows.segments == 1 && rows.sums == nullptr) {
    return PackRuns<kRows>(rows, static_cast<uint8_t*>(to));
  }
  if (rows.n <= Codes16::kCodes && rows.sums == nullptr) {
    return PackShortRuns<kRows, Codes16>(rows, static_cast<uint8_t*>(to));
  }
  if (rows.n <= Codes32::kCodes && rows.sums == nullptr) {
    return PackShortRuns<kRows, Codes32>(rows, static_cast<uint8_t*>(to));
  }
  for (size_t i = 0; i < rows.m; ++i) {
    const int32_t sum =
        PackRow<kRows>(rows, i, static_cast<uint8_t*>(to) + i * kPackLine);
    if (rows.sums != nullptr) rows.sums[i] = sum;
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_Q8_GEMM_Q8_PACK_AVX512_H_
