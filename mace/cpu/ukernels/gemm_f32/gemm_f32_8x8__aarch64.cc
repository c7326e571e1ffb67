// The 8x8 GEMM tile on armv8, of packed or unpacked rows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm_f32/gemm_f32_lane.h"

namespace mace::cpu {
namespace {

// What a full tile starts from, multiplies and ends as. The assembly reads the
// fields by their order.
struct Packed {
  const float* a;
  const float* b;
  size_t k;
  const float* start;
  ptrdiff_t start_stride;  // bytes from row to row; 0: the same for all
  float* c;
  ptrdiff_t c_stride;  // bytes
  float lower, upper;
  size_t clamps;  // 0: the bounds are infinite
};

// v16..v31 accumulate, two registers a row. Operands come two rows of k at a
// time, four registers each of a and b, in two sets that take turns: while one
// is multiplied the other is loaded, so that an in-order core waits for none.
//
//   set 0: a v0..v3, b v8..v11     set 1: a v4..v7, b v12..v15
//
// In assembly because compilers spill when all registers are taken.
inline void MultiplyPacked(const Packed& tile) {
  asm volatile(R"(
    .macro mace_row a0, a1, b0, b1, load:vararg
      \load
      fmla v16.4s, v\b0\().4s, v\a0\().s[0]
      fmla v17.4s, v\b1\().4s, v\a0\().s[0]
      fmla v18.4s, v\b0\().4s, v\a0\().s[1]
      fmla v19.4s, v\b1\().4s, v\a0\().s[1]
      fmla v20.4s, v\b0\().4s, v\a0\().s[2]
      fmla v21.4s, v\b1\().4s, v\a0\().s[2]
      fmla v22.4s, v\b0\().4s, v\a0\().s[3]
      fmla v23.4s, v\b1\().4s, v\a0\().s[3]
      fmla v24.4s, v\b0\().4s, v\a1\().s[0]
      fmla v25.4s, v\b1\().4s, v\a1\().s[0]
      fmla v26.4s, v\b0\().4s, v\a1\().s[1]
      fmla v27.4s, v\b1\().4s, v\a1\().s[1]
      fmla v28.4s, v\b0\().4s, v\a1\().s[2]
      fmla v29.4s, v\b1\().4s, v\a1\().s[2]
      fmla v30.4s, v\b0\().4s, v\a1\().s[3]
      fmla v31.4s, v\b1\().4s, v\a1\().s[3]
    .endm
    .macro mace_load_set0
      ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0], #64
      ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x1], #64
    .endm
    .macro mace_set0_loading_set1
      mace_row 0, 1, 8, 9, ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x0], #64
      mace_row 2, 3, 10, 11, ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x1], #64
    .endm
    .macro mace_set1_loading_set0
      mace_row 4, 5, 12, 13, ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0], #64
      mace_row 6, 7, 14, 15, ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x1], #64
    .endm
    .macro mace_start first, second
      ldp q\first, q\second, [x3]
      add x3, x3, x4
    .endm
    .macro mace_clamp first, second
      fmax v\first\().4s, v\first\().4s, v0.4s
      fmax v\second\().4s, v\second\().4s, v0.4s
      fmin v\first\().4s, v\first\().4s, v1.4s
      fmin v\second\().4s, v\second\().4s, v1.4s
    .endm
    .macro mace_end first, second
      stp q\first, q\second, [x5]
      add x5, x5, x6
    .endm

    ldp x0, x1, [%[tile]]       // a, b
    ldp x2, x3, [%[tile], #16]  // k, start
    ldp x4, x5, [%[tile], #32]  // start_stride, c
    ldr x6, [%[tile], #48]      // c_stride
    mace_start 16, 17
    mace_start 18, 19
    mace_start 20, 21
    mace_start 22, 23
    mace_start 24, 25
    mace_start 26, 27
    mace_start 28, 29
    mace_start 30, 31
    subs x2, x2, #2
    b.lo 4f
    mace_load_set0
    subs x2, x2, #8
    b.lo 2f
  1:                            // set 0 is loaded; 8 rows or more follow it
    .rept 2
    mace_set0_loading_set1
    mace_set1_loading_set0
    .endr
    subs x2, x2, #8
    b.hs 1b
  2:                            // set 0 is loaded; x2 + 8 rows follow it
    adds x2, x2, #6
    b.mi 3f
    mace_row 0, 1, 8, 9
    mace_row 2, 3, 10, 11
    mace_load_set0
    sub x2, x2, #8
    b 2b
  3:                            // set 0 is the last pair
    mace_row 0, 1, 8, 9
    mace_row 2, 3, 10, 11
  4:
    tbz x2, #0, 5f              // no single row is left
    ldp q0, q1, [x0]
    ldp q8, q9, [x1]
    mace_row 0, 1, 8, 9
  5:
    add x3, %[tile], #56
    ldr x0, [%[tile], #64]      // clamps
    cbz x0, 6f
    ld1r {v0.4s}, [x3], #4      // lower
    ld1r {v1.4s}, [x3]          // upper
    mace_clamp 16, 17
    mace_clamp 18, 19
    mace_clamp 20, 21
    mace_clamp 22, 23
    mace_clamp 24, 25
    mace_clamp 26, 27
    mace_clamp 28, 29
    mace_clamp 30, 31
  6:
    mace_end 16, 17
    mace_end 18, 19
    mace_end 20, 21
    mace_end 22, 23
    mace_end 24, 25
    mace_end 26, 27
    mace_end 28, 29
    mace_end 30, 31
    .purgem mace_row
    .purgem mace_load_set0
    .purgem mace_set0_loading_set1
    .purgem mace_set1_loading_set0
    .purgem mace_start
    .purgem mace_clamp
    .purgem mace_end
  )"
               :
               : [tile] "r"(&tile)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "v0", "v1", "v2",
                 "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
                 "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
                 "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
                 "v31", "cc", "memory");
}

constexpr size_t kRows = 8, kColumns = 8;

// The first m <= kRows rows of a tile, written to `to`: through a full tile
// that starts with what there is.
void MultiplyPart(const GemmF32Tile& t, Packed tile, size_t m, float* to) {
  float c[kRows][kColumns] = {};
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < t.n; ++j) {
      if (t.accumulate) {
        c[i][j] = to[i * t.c_stride + j];
      } else if (t.bias != nullptr) {
        c[i][j] = t.bias[j];
      }
    }
  }
  tile.start = tile.c = c[0];
  tile.start_stride = tile.c_stride = sizeof c[0];
  MultiplyPacked(tile);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < t.n; ++j) to[i * t.c_stride + j] = c[i][j];
  }
}

bool IsFinite(float x) { return x - x == 0; }

}  // namespace

void gemm_f32_8x8__aarch64(const GemmF32Tile& t) {
  if (!t.a_packed) return DispatchTile<LaneLoop, kRows, 2>(t);
  static constexpr float kZeros[kColumns] = {};
  Packed tile;
  tile.a = t.a;
  tile.b = t.b;
  tile.k = t.segments * t.k;
  tile.start = t.accumulate ? t.c : t.bias != nullptr ? t.bias : kZeros;
  tile.c = t.c;
  tile.c_stride = t.c_stride * static_cast<ptrdiff_t>(sizeof(float));
  tile.start_stride = t.accumulate ? tile.c_stride : 0;
  tile.lower = t.lower;
  tile.upper = t.upper;
  tile.clamps = IsFinite(t.lower) || IsFinite(t.upper);
  size_t m = t.m;
  if (t.n == kColumns) {
    for (; m >= kRows; m -= kRows) {
      MultiplyPacked(tile);
      tile.a += kRows * tile.k;
      tile.c += kRows * t.c_stride;
      if (t.accumulate) tile.start = tile.c;
    }
  }
  for (; m > 0; tile.a += kRows * tile.k, tile.c += kRows * t.c_stride) {
    const size_t rows = m < kRows ? m : kRows;
    MultiplyPart(t, tile, rows, tile.c);
    m -= rows;
  }
}

}  // namespace mace::cpu
