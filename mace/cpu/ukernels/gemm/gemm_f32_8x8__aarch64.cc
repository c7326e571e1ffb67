// The 8x8 GEMM tile on armv8, for packed or unpacked rows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f32_lane.h"

namespace mace::cpu {

GemmFn<GemmF32Tile> gemm_f32_4x8__neon;

namespace {

// The operands of tiles that lie one below the other. The assembly reads the
// fields in this order.
struct Packed {
  const float* a;
  const float* b;
  size_t k;
  const float* bias;  // for one row
  const float* addend;
  ptrdiff_t addend_stride;  // bytes between rows
  float* c;
  ptrdiff_t c_stride;  // bytes
  size_t tiles;        // > 0
  size_t ends;         // bit 0: clamp from below, 1: from above, 2: add addend
  float lower, upper;
};

// v16..v31 accumulate, two registers for each row. Four k are computed at a
// time: v0..v7 hold four floats of each row of a, whose lanes multiply four
// rows of b. These alternate between v8..v11 and v12..v15, so that an in-order
// core never waits for a load. kRows is 8 or 4. It is assembly because
// compilers spill when all registers are in use.
template <int kRows>
inline void MultiplyPacked(const Packed& tile) {
  asm volatile(R"(
    .macro mace_upper b0, b1, lane  // rows 0 to 3 of a
      fmla v16.4s, v\b0\().4s, v0.s[\lane]
      fmla v17.4s, v\b1\().4s, v0.s[\lane]
      fmla v18.4s, v\b0\().4s, v1.s[\lane]
      fmla v19.4s, v\b1\().4s, v1.s[\lane]
      fmla v20.4s, v\b0\().4s, v2.s[\lane]
      fmla v21.4s, v\b1\().4s, v2.s[\lane]
      fmla v22.4s, v\b0\().4s, v3.s[\lane]
      fmla v23.4s, v\b1\().4s, v3.s[\lane]
    .endm
    .macro mace_lower b0, b1, lane  // rows 4 to 7
      .if %c[rows] > 4
      fmla v24.4s, v\b0\().4s, v4.s[\lane]
      fmla v25.4s, v\b1\().4s, v4.s[\lane]
      fmla v26.4s, v\b0\().4s, v5.s[\lane]
      fmla v27.4s, v\b1\().4s, v5.s[\lane]
      fmla v28.4s, v\b0\().4s, v6.s[\lane]
      fmla v29.4s, v\b1\().4s, v6.s[\lane]
      fmla v30.4s, v\b0\().4s, v7.s[\lane]
      fmla v31.4s, v\b1\().4s, v7.s[\lane]
      .endif
    .endm
    .macro mace_load_upper
      ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0], #64
    .endm
    .macro mace_load_lower
      .if %c[rows] > 4
      ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x0], #64
      .endif
    .endm
    .macro mace_load_b
      ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x1], #64
    .endm
    .macro mace_four_k next  // next: another four follow
      ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x1], #64
      mace_upper 8, 9, 0
      mace_lower 8, 9, 0
      mace_upper 10, 11, 1
      mace_lower 10, 11, 1
      .if \next
      mace_load_b
      .endif
      mace_upper 12, 13, 2
      mace_lower 12, 13, 2
      mace_upper 14, 15, 3
      .if \next
      mace_load_upper
      .endif
      mace_lower 14, 15, 3
      .if \next
      mace_load_lower
      .endif
    .endm
    .macro mace_one_k a, r0, r1, r2, r3, r4, r5, r6, r7
      fmla v\r0\().4s, v8.4s, v\a\().s[0]
      fmla v\r1\().4s, v9.4s, v\a\().s[0]
      fmla v\r2\().4s, v8.4s, v\a\().s[1]
      fmla v\r3\().4s, v9.4s, v\a\().s[1]
      fmla v\r4\().4s, v8.4s, v\a\().s[2]
      fmla v\r5\().4s, v9.4s, v\a\().s[2]
      fmla v\r6\().4s, v8.4s, v\a\().s[3]
      fmla v\r7\().4s, v9.4s, v\a\().s[3]
    .endm
    .macro mace_each what, r0, r1, more:vararg
      \what \r0, \r1
      .ifnb \more
      mace_each \what, \more
      .endif
    .endm
    .macro mace_rows what
      mace_each \what, 16, 17, 18, 19, 20, 21, 22, 23
      .if %c[rows] > 4
      mace_each \what, 24, 25, 26, 27, 28, 29, 30, 31
      .endif
    .endm
    .macro mace_start r0, r1
      ld1 {v\r0\().4s, v\r1\().4s}, [x3]
    .endm
    .macro mace_add r0, r1
      ld1 {v2.4s, v3.4s}, [x4], x11
      fadd v\r0\().4s, v\r0\().4s, v2.4s
      fadd v\r1\().4s, v\r1\().4s, v3.4s
    .endm
    .macro mace_max r0, r1
      fmax v\r0\().4s, v\r0\().4s, v0.4s
      fmax v\r1\().4s, v\r1\().4s, v0.4s
    .endm
    .macro mace_min r0, r1
      fmin v\r0\().4s, v\r0\().4s, v1.4s
      fmin v\r1\().4s, v\r1\().4s, v1.4s
    .endm
    .macro mace_end r0, r1
      st1 {v\r0\().4s, v\r1\().4s}, [x5], x6
    .endm

    ldp x0, x9, [%[tile]]       // a, b
    ldp x10, x3, [%[tile], #16] // k, bias
    ldp x4, x11, [%[tile], #32] // addend, addend_stride
    ldp x5, x6, [%[tile], #48]  // c, c_stride
    ldp x7, x8, [%[tile], #64]  // tiles, ends
  1:
    mov x1, x9
    mace_rows mace_start
    subs x2, x10, #4
    b.lo 6f
    mace_load_b
    mace_load_upper
    mace_load_lower
    subs x2, x2, #16
    b.lo 3f
  2:                            // four k are loaded; 16 or more follow them
    .rept 4
    mace_four_k 1
    .endr
    subs x2, x2, #16
    b.hs 2b
  3:                            // four k are loaded; x2 + 16 follow them
    adds x2, x2, #12
    b.mi 5f
  4:
    mace_four_k 1
    subs x2, x2, #4
    b.pl 4b
  5:
    mace_four_k 0
  6:                            // x2 + 4 are left
    adds x2, x2, #4
    b.eq 8f
  7:
    ldp q8, q9, [x1], #32
    .if %c[rows] > 4
    ldp q0, q1, [x0], #32
    mace_one_k 1, 24, 25, 26, 27, 28, 29, 30, 31
    .else
    ldr q0, [x0], #16
    .endif
    mace_one_k 0, 16, 17, 18, 19, 20, 21, 22, 23
    subs x2, x2, #1
    b.ne 7b
  8:
    cbz x8, 11f
    tbz x8, #2, 9f
    mace_rows mace_add
  9:
    add x1, %[tile], #80
    ld1r {v0.4s}, [x1], #4      // lower
    ld1r {v1.4s}, [x1]          // upper
    tbz x8, #0, 10f
    mace_rows mace_max
  10:
    tbz x8, #1, 11f
    mace_rows mace_min
  11:
    mace_rows mace_end
    subs x7, x7, #1
    b.ne 1b
    .purgem mace_upper
    .purgem mace_lower
    .purgem mace_load_upper
    .purgem mace_load_lower
    .purgem mace_load_b
    .purgem mace_four_k
    .purgem mace_one_k
    .purgem mace_each
    .purgem mace_rows
    .purgem mace_start
    .purgem mace_add
    .purgem mace_max
    .purgem mace_min
    .purgem mace_end
  )"
               :
               : [tile] "r"(&tile), [rows] "i"(kRows)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                 "x10", "x11", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
                 "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
                 "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                 "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

constexpr size_t kRows = 8, kColumns = 8;

// Computes the first m <= kRows rows of a tile in a full tile, and copies these
// rows and the first n columns to `to`.
void MultiplyPart(GemmF32Tile t, Packed tile, size_t m, float* to) {
  float c[kRows][kColumns] = {}, bias[kColumns] = {};
  if (t.bias() != nullptr) {
    for (size_t j = 0; j < t->n; ++j) bias[j] = t.bias()[j];
    tile.bias = bias;
  }
  if (t.addend() != nullptr) {
    const char* row = reinterpret_cast<const char*>(tile.addend);
    for (size_t i = 0; i < m; ++i, row += tile.addend_stride) {
      for (size_t j = 0; j < t->n; ++j) {
        c[i][j] = reinterpret_cast<const float*>(row)[j];
      }
    }
    tile.addend = c[0];
    tile.addend_stride = sizeof c[0];
  }
  tile.c = c[0];
  tile.c_stride = sizeof c[0];
  tile.tiles = 1;
  if (m > 4) {
    MultiplyPacked<8>(tile);
  } else {
    MultiplyPacked<4>(tile);
  }
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < t->n; ++j) to[i * t->c_stride + j] = c[i][j];
  }
}

bool IsFinite(float x) { return x - x == 0; }

// Computes a tile whose rows are not packed. All but whole ones are left to the
// smaller micro-kernel, in one or two parts.
void MultiplyUnpacked(GemmF32Tile t) {
  constexpr size_t kHalf = kRows / 2;
  if (t->m == kRows && t->n > simd::kLanes) {
    return Tile<LaneLoop, kRows, 2, 2>(t);
  }
  if (t->m <= kHalf) return gemm_f32_4x8__neon(t);
  GemmTile half = *t;
  half.m = kHalf;
  gemm_f32_4x8__neon(GemmF32Tile(half));
  half.m = t->m - kHalf;
  half.a = t.a() + kHalf * t->a_stride;
  half.c = t.c() + kHalf * t->c_stride;
  if (t.addend() != nullptr) {
    half.addend = t.addend() + kHalf * t->addend_stride;
  }
  gemm_f32_4x8__neon(GemmF32Tile(half));
}

}  // namespace

void gemm_f32_8x8__aarch64(GemmF32Tile t) {
  if (!t->a_packed) return MultiplyUnpacked(t);
  static constexpr float kZeros[kColumns] = {};
  Packed tile;
  tile.a = t.a();
  tile.b = t.b();
  tile.k = t->segments * t->k;
  tile.bias = t.bias() != nullptr ? t.bias() : kZeros;
  tile.addend = t.addend();
  tile.addend_stride = t->addend_stride * static_cast<ptrdiff_t>(sizeof(float));
  tile.c = t.c();
  tile.c_stride = t->c_stride * static_cast<ptrdiff_t>(sizeof(float));
  tile.ends = (IsFinite(t->lower) ? 1 : 0) | (IsFinite(t->upper) ? 2 : 0) |
              (t.addend() != nullptr ? 4 : 0);
  tile.lower = t->lower;
  tile.upper = t->upper;
  size_t m = t->m;
  tile.tiles = m / kRows;
  if (t->n == kColumns && tile.tiles > 0) {
    MultiplyPacked<8>(tile);
    const size_t rows = m / kRows * kRows;
    tile.a += rows * tile.k;
    tile.c += rows * t->c_stride;
    if (t.addend() != nullptr) tile.addend += rows * t->addend_stride;
    m -= rows;
  }
  if (t->n == kColumns && m == 4) {
    tile.tiles = 1;
    return MultiplyPacked<4>(tile);
  }
  for (size_t rows; m > 0; m -= rows) {
    rows = m < kRows ? m : kRows;
    MultiplyPart(t, tile, rows, tile.c);
    tile.a += kRows * tile.k;
    tile.c += kRows * t->c_stride;
    if (t.addend() != nullptr) tile.addend += kRows * t->addend_stride;
  }
}

}  // namespace mace::cpu
