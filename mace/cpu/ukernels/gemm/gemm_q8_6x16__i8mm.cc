// The 6x16 tile of int8 by SMMLA, which multiplies two rows of eight depths by
// two columns.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 6, kColumns = 16, kDepth = 8;
constexpr int kColumnPairs = 8;

inline int32x4_t Zip1(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_s64(
      vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}
inline int32x4_t Zip2(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_s64(
      vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

// The first P pairs of rows. An accumulator has two columns of one row, then of
// the other.
template <int P>
inline void Multiply(GemmI8Tile t) {
  int32x4_t acc[P][kColumnPairs];
#pragma GCC unroll 4
  for (int q = 0; q < kColumnPairs; q += 2) {
    const int32x4_t start = vld1q_s32(t.bias() + 2 * q);
#pragma GCC unroll 3
    for (int p = 0; p < P; ++p) {
      acc[p][q] = Zip1(start, start);
      acc[p][q + 1] = Zip2(start, start);
    }
  }
  const auto* a = t.a();
  const int8_t* b = t.b();
  for (size_t left = t->k; left > 0; left -= kDepth) {
    int8x16_t rows[P];
#pragma GCC unroll 3
    for (int p = 0; p < P; ++p) rows[p] = vld1q_s8(a + 16 * p);
#pragma GCC unroll 8
    for (int q = 0; q < kColumnPairs; ++q) {
      const int8x16_t columns = vld1q_s8(b + 16 * q);
#pragma GCC unroll 3
      for (int p = 0; p < P; ++p) {
        acc[p][q] = vmmlaq_s32(acc[p][q], rows[p], columns);
      }
    }
    a += kRows * kDepth;
    b += kColumns * kDepth;
  }
#pragma GCC unroll 3
  for (int p = 0; p < P; ++p) {
    int32_t* to = t.c() + 2 * kColumns * static_cast<size_t>(p);
#pragma GCC unroll 4
    for (int q = 0; q < kColumnPairs; q += 2) {
      vst1q_s32(to + 2 * q, Zip1(acc[p][q], acc[p][q + 1]));
      vst1q_s32(to + kColumns + 2 * q, Zip2(acc[p][q], acc[p][q + 1]));
    }
  }
}

}  // namespace

// Rows are packed as for SDOT.
void gemm_q8_6x16__i8mm(GemmI8Tile tile) {
  if (tile->m > 4) return Multiply<3>(tile);
  if (tile->m > 2) return Multiply<2>(tile);
  Multiply<1>(tile);
}

}  // namespace mace::cpu
