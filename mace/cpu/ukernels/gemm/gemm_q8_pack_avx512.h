// Packs rows of quantized values on AVX-512, in lines of 64 bytes.
// SPDX-License-Identifier: Apache-2.0
//
// A line is a vector. PackTile chooses among these functions, which write the
// same values:
//
//   PackRuns       rows of one run: a matrix, or a 1x1 convolution
//   PackThreeRuns  rows of three short runs that together fit half a line
//   PackShortRuns  runs of at most a line, joined in a register
//   PackRow        any runs; the only one that adds up sums
//
// `Runs` is Pointers or Steps; rows are kRows, the mr of the table: 12, or 16
// with AMX.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_AVX512_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_AVX512_H_

#include <immintrin.h>

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kPackLine = 64;

// Where the runs of rows begin: Run(s, i) is run s of row i. Pointers has one
// pointer for each of the m rows of each run; Steps has equal distances
// (GemmRuns::first).
struct Pointers {
  const uint8_t* const* runs;
  size_t m;

  const uint8_t* Run(size_t s, size_t i) const { return runs[s * m + i]; }
};
struct Steps {
  const uint8_t* first;
  ptrdiff_t row_step, run_step;

  const uint8_t* Run(size_t s, size_t i) const {
    return first + static_cast<ptrdiff_t>(i) * row_step +
           static_cast<ptrdiff_t>(s) * run_step;
  }
};

// Returns in each of 8 lanes the sum of its bytes as unsigned numbers.
inline __m512i ByteSums(__m512i bytes) {
  return _mm512_sad_epu8(bytes, _mm512_setzero_si512());
}

// Packs row i of a tile of kRows rows, from `to` on. Returns the sum of its
// values as uint8, or 0 if rows.sums is null. Where a run begins with a line,
// each whole line is copied with one store; a mask limits all other loads and
// stores to the values that a run has, or a line has space for.
template <size_t kRows, typename Runs>
inline int32_t PackRow(const GemmRuns& rows, const Runs& runs, size_t i,
                       uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(rows.flip));
  __m512i sums = _mm512_setzero_si512();
  const bool adds = rows.sums != nullptr;
  size_t at = 0;  // in the line
  for (size_t s = 0; s < rows.segments; ++s) {
    const uint8_t* from = runs.Run(s, i);
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

// Packs rows of one run each, whose sums are not wanted. Lines are written in
// the order of memory, all rows of a line before the next one.
template <size_t kRows, typename Runs>
inline void PackRuns(const GemmRuns& rows, const Runs& runs, uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(rows.flip));
  for (size_t at = 0; at < rows.n; at += kPackLine, to += kRows * kPackLine) {
    const size_t left = rows.n - at;
    uint8_t* line = to;
    if (left >= kPackLine) {
      for (size_t i = 0; i < rows.m; ++i, line += kPackLine) {
        const __m512i x = _mm512_loadu_si512(runs.Run(0, i) + at);
        _mm512_storeu_si512(line, _mm512_xor_si512(x, flip));
      }
      continue;
    }
    const __mmask64 here = ~uint64_t{0} >> (kPackLine - left);
    for (size_t i = 0; i < rows.m; ++i, line += kPackLine) {
      const __m512i x = _mm512_maskz_loadu_epi8(here, runs.Run(0, i) + at);
      _mm512_storeu_si512(line, _mm512_xor_si512(x, flip));
    }
  }
}

// Vectors in which short runs are joined, of 32 or 64 bytes. Bit j of `here`
// selects byte j. Load sets the other bytes to zero, Join takes them from x.
// Neither reads bytes that `here` does not select, wherever `from` points.
// Store flips and writes a whole vector.
struct Line32 {
  using Vector = __m256i;
  static Vector Load(uint64_t here, const uint8_t* from) {
    return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(here), from);
  }
  static Vector Join(Vector x, uint64_t here, const uint8_t* from) {
    return _mm256_mask_loadu_epi8(x, static_cast<__mmask32>(here), from);
  }
  static void Store(Vector x, __m512i flip, uint8_t* to) {
    const Vector y = _mm256_xor_si256(x, _mm512_castsi512_si256(flip));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), y);
  }
};
struct Line64 {
  using Vector = __m512i;
  static Vector Load(uint64_t here, const uint8_t* from) {
    return _mm512_maskz_loadu_epi8(here, from);
  }
  static Vector Join(Vector x, uint64_t here, const uint8_t* from) {
    return _mm512_mask_loadu_epi8(x, here, from);
  }
  static void Store(Vector x, __m512i flip, uint8_t* to) {
    _mm512_storeu_si512(to, _mm512_xor_si512(x, flip));
  }
};

// Returns the address n bytes before `from`, which may lie before the array of
// `from`: masks select no byte there.
inline const uint8_t* Before(const uint8_t* from, size_t n) {
  return reinterpret_cast<const uint8_t*>(reinterpret_cast<uintptr_t>(from) -
                                          n);
}

// Packs rows of runs of at most 64 values, as windows of images have them,
// whose sums are not wanted. Joins a line in a register, since stores of some
// of its bytes cost several times as much, and stores the whole vector, also
// for the last line. REQUIRES: with Line32, a row has at most 32 values.
template <size_t kRows, typename Line, typename Runs>
inline void PackShortRuns(const GemmRuns& rows, const Runs& runs, uint8_t* to) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(rows.flip));
  const uint64_t whole = ~uint64_t{0} >> (kPackLine - rows.n);
  for (size_t i = 0; i < rows.m; ++i) {
    uint8_t* line = to + i * kPackLine;
    typename Line::Vector x = Line::Load(whole, runs.Run(0, i));
    size_t at = rows.n;
    for (size_t s = 1; s < rows.segments; ++s) {
      const uint8_t* from = runs.Run(s, i);
      if (at == kPackLine) {
        Line::Store(x, flip, line);
        line += kRows * kPackLine;
        x = Line::Load(whole, from);
        at = rows.n;
        continue;
      }
      x = Line::Join(x, whole << at, Before(from, at));
      at += rows.n;
      if (at <= kPackLine) continue;
      Line::Store(x, flip, line);
      line += kRows * kPackLine;
      at -= kPackLine;
      x = Line::Load(whole >> (rows.n - at), from + rows.n - at);
    }
    Line::Store(x, flip, line);
  }
}

// Packs rows of three runs of at most 10 values, as the windows of most
// networks' first layers have them, whose sums are not wanted.
template <typename Runs>
inline void PackThreeRuns(const GemmRuns& rows, const Runs& runs, uint8_t* to) {
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(rows.flip));
  const size_t n = rows.n;
  const __mmask32 run = (__mmask32{1} << n) - 1;
  for (size_t i = 0; i < rows.m; ++i, to += kPackLine) {
    __m256i x = _mm256_maskz_loadu_epi8(run, runs.Run(0, i));
    x = _mm256_mask_loadu_epi8(x, run << n, Before(runs.Run(1, i), n));
    x = _mm256_mask_loadu_epi8(x, run << (2 * n),
                               Before(runs.Run(2, i), 2 * n));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_xor_si256(x, flip));
  }
}

// Packs rows in the way that is the fastest for their runs.
template <size_t kRows, typename Runs>
inline void PackTile(const GemmRuns& rows, const Runs& runs, uint8_t* to) {
  if (rows.segments == 1 && rows.sums == nullptr) {
    return PackRuns<kRows>(rows, runs, to);
  }
  if (rows.segments == 3 && rows.n <= 10 && rows.sums == nullptr) {
    return PackThreeRuns(rows, runs, to);
  }
  if (rows.n * rows.segments <= 32 && rows.sums == nullptr) {
    return PackShortRuns<kRows, Line32>(rows, runs, to);
  }
  if (rows.n <= kPackLine && rows.sums == nullptr) {
    return PackShortRuns<kRows, Line64>(rows, runs, to);
  }
  for (size_t i = 0; i < rows.m; ++i) {
    const int32_t sum = PackRow<kRows>(rows, runs, i, to + i * kPackLine);
    if (rows.sums != nullptr) rows.sums[i] = sum;
  }
}

// The same with rows.runs, or if it is null, with the steps from rows.first on:
// the body of a GemmPackRunsFn.
template <size_t kRows>
inline void PackTile(const GemmRuns& rows, void* to) {
  auto* tile = static_cast<uint8_t*>(to);
  if (rows.runs == nullptr) {
    const Steps steps = {rows.first, rows.row_step, rows.run_step};
    return PackTile<kRows>(rows, steps, tile);
  }
  PackTile<kRows>(rows, Pointers{rows.runs, rows.m}, tile);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_AVX512_H_
