// Products of 16 bits on NEON, by lanes of a row.
// SPDX-License-Identifier: Apache-2.0
//
// The file for armv7 (4 rows) and that for armv8 (8 rows) include it. Eight k
// of a row are in a register, and each of them multiplies eight columns at a
// time by a widening multiplication with a lane (SMLAL):
//
//   a[i]     | k  k+1  ..  k+7 |             int16, row i, a group of v
//                  |  lane
//   columns  | j  j+1  ..  j+7 |             int16, of line k + lane of b
//   acc[i]   | j..j+3 | j+4..j+7 |           two vectors of int32
//
// b has group 1: a line of nr = 16 columns for each k.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_NEON_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_NEON_H_

#include <arm_neon.h>

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_transforms.h"

namespace mace::cpu {
namespace {

// kColumns is nr of the table; kLanes is `lanes` and `step`.
constexpr size_t kColumns = 16, kLanes = 8;

// acc += lane kLane of `a` times eight columns. On armv7 the lane must be in a
// register of half the length.
template <int kLane>
inline void AddLane(int16x8_t a, int16x8_t b, int32x4_t acc[2]) {
#if defined(__aarch64__)
  acc[0] = vmlal_laneq_s16(acc[0], vget_low_s16(b), a, kLane);
  acc[1] = vmlal_high_laneq_s16(acc[1], b, a, kLane);
#else
  const int16x4_t half = kLane < 4 ? vget_low_s16(a) : vget_high_s16(a);
  acc[0] = vmlal_lane_s16(acc[0], vget_low_s16(b), half, kLane % 4);
  acc[1] = vmlal_lane_s16(acc[1], vget_high_s16(b), half, kLane % 4);
#endif
}

// Adds lane kLane of M rows times 8 * kEights columns. b points to the first
// column of the line of lane 0. Each vector of columns is loaded once for all
// rows.
template <int M, int kEights, int kLane>
inline void AddColumns(const int16x8_t a[M], const int16_t* b,
                       int32x4_t acc[M][2 * kEights]) {
#pragma GCC unroll 2
  for (int e = 0; e < kEights; ++e) {
    const int16x8_t columns = vld1q_s16(b + kLane * kColumns + 8 * e);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) AddLane<kLane>(a[i], columns, acc[i] + 2 * e);
  }
}

// Multiplies the first M of kRows rows (mr) by 8 * kEights columns from
// `column` on, for all of depth. 2 * M * kEights registers accumulate, and M
// hold rows. REQUIRES: t.depth is a multiple of kLanes.
template <size_t kRows, int M, int kEights>
inline void MultiplyLanes(const WinogradQ8Gemm& t, size_t column) {
  int32x4_t acc[M][2 * kEights];
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 2 * kEights; ++j) acc[i][j] = vdupq_n_s32(0);
  }
  const int16_t* line = t.a;
  const int16_t* b = t.b + column;
  for (size_t left = t.depth; left > 0; left -= kLanes) {
    int16x8_t a[M];
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) a[i] = vld1q_s16(line + i * kLanes);
    AddColumns<M, kEights, 0>(a, b, acc);
    AddColumns<M, kEights, 1>(a, b, acc);
    AddColumns<M, kEights, 2>(a, b, acc);
    AddColumns<M, kEights, 3>(a, b, acc);
    AddColumns<M, kEights, 4>(a, b, acc);
    AddColumns<M, kEights, 5>(a, b, acc);
    AddColumns<M, kEights, 6>(a, b, acc);
    AddColumns<M, kEights, 7>(a, b, acc);
    line += kRows * kLanes;
    b += kLanes * kColumns;
  }
  int32_t* to = t.c + column;
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < 2 * kEights; ++j) {
      vst1q_s32(to + static_cast<size_t>(i) * kColumns + 4 * j, acc[i][j]);
    }
  }
}

// Multiplies the first M of kRows rows by all columns. With the M and kEights
// of the two files, at most 16 registers accumulate. `a` is read once for each
// 8 * kEights columns.
template <size_t kRows, int M, int kEights>
void MultiplyRows(const WinogradQ8Gemm& t) {
  for (size_t column = 0; column < kColumns; column += 8 * kEights) {
    MultiplyLanes<kRows, M, kEights>(t, column);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_NEON_H_
