// The 6x16 tile of codes by SDOT, the instruction that adds up four products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm_q8/gemm_q8_pack_arm.h"

namespace mace::cpu {
namespace {

// v8..v31 accumulate, four registers for each row. v0..v2 hold a line of two
// rows each, whose lanes multiply a group of b: columns in v4 and v5, and in v6
// and v7. One pair is loaded while the other is multiplied, so that an in-order
// core does not wait. kUsed is 6, 4, 2 or 1 rows. It is assembly because
// compilers spill when all registers are in use.
template <int kUsed>
inline void Multiply(const GemmQ8Tile& t) {
  const void* a = t.a;
  const int8_t* b = t.b;
  size_t groups = t.depth / 4;
  int32_t* sums = t.sums;
  asm volatile(
      R"(
    .macro mace_column g, b, r0, r1, r2, r3, r4, r5
      sdot v\r0\().4s, v\b\().16b, v0.4b[\g]
      .if %c[rows] > 1
      sdot v\r1\().4s, v\b\().16b, v0.4b[2 + \g]
      .endif
      .if %c[rows] > 2
      sdot v\r2\().4s, v\b\().16b, v1.4b[\g]
      sdot v\r3\().4s, v\b\().16b, v1.4b[2 + \g]
      .endif
      .if %c[rows] > 4
      sdot v\r4\().4s, v\b\().16b, v2.4b[\g]
      sdot v\r5\().4s, v\b\().16b, v2.4b[2 + \g]
      .endif
    .endm
    .macro mace_group g, next  // next: another group follows
      mace_column \g, 4, 8, 12, 16, 20, 24, 28
      mace_column \g, 5, 9, 13, 17, 21, 25, 29
      .if \next
      ld1 {v4.16b, v5.16b}, [%[b]], #32
      .endif
      mace_column \g, 6, 10, 14, 18, 22, 26, 30
      mace_column \g, 7, 11, 15, 19, 23, 27, 31
      .if \next
      ld1 {v6.16b, v7.16b}, [%[b]], #32
      .endif
    .endm
    .macro mace_line
      ld1 {v0.16b, v1.16b, v2.16b}, [%[a]], #48
    .endm

    ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [%[start]]
    .if %c[rows] > 1
    ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [%[start]]
    .endif
    .if %c[rows] > 2
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [%[start]]
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [%[start]]
    .endif
    .if %c[rows] > 4
    ld1 {v24.4s, v25.4s, v26.4s, v27.4s}, [%[start]]
    ld1 {v28.4s, v29.4s, v30.4s, v31.4s}, [%[start]]
    .endif
    ld1 {v4.16b, v5.16b, v6.16b, v7.16b}, [%[b]], #64
    subs %[groups], %[groups], #5
    b.lo 2f
  1:                            // a group is loaded; at least 4 follow it
    .rept 2
    mace_line
    mace_group 0, 1
    mace_group 1, 1
    .endr
    subs %[groups], %[groups], #4
    b.hs 1b
  2:                            // groups + 5 are left, the first one loaded
    adds %[groups], %[groups], #2
    b.mi 3f
    mace_line
    mace_group 0, 1
    mace_group 1, 1
    sub %[groups], %[groups], #2
  3:                            // groups + 3 are left: 1 or 2
    mace_line
    cmn %[groups], #1
    b.ne 4f
    mace_group 0, 1
    mace_group 1, 0
    b 5f
  4:
    mace_group 0, 0
  5:
    st1 {v8.4s, v9.4s, v10.4s, v11.4s}, [%[sums]], #64
    .if %c[rows] > 1
    st1 {v12.4s, v13.4s, v14.4s, v15.4s}, [%[sums]], #64
    .endif
    .if %c[rows] > 2
    st1 {v16.4s, v17.4s, v18.4s, v19.4s}, [%[sums]], #64
    st1 {v20.4s, v21.4s, v22.4s, v23.4s}, [%[sums]], #64
    .endif
    .if %c[rows] > 4
    st1 {v24.4s, v25.4s, v26.4s, v27.4s}, [%[sums]], #64
    st1 {v28.4s, v29.4s, v30.4s, v31.4s}, [%[sums]], #64
    .endif
    .purgem mace_column
    .purgem mace_group
    .purgem mace_line
  )"
      : [a] "+r"(a), [b] "+r"(b), [groups] "+r"(groups), [sums] "+r"(sums)
      : [start] "r"(t.start), [rows] "i"(kUsed)
      : "memory", "cc", "v0", "v1", "v2", "v4", "v5", "v6", "v7", "v8", "v9",
        "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",
        "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
        "v30", "v31");
}

// Copies n codes of six rows, a multiple of 8, to the lines from `to` on, and
// returns their end.
inline uint8_t* PackSixRows(const uint8_t* const (&rows)[6], size_t n,
                            uint8_t flip, uint8_t* to) {
  const uint8_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3],
                *r4 = rows[4], *r5 = rows[5];
  asm volatile(R"(
    dup v6.16b, %w[flip]
    subs %[n], %[n], #16
    b.lo 2f
  1:
    ldr q0, [%[r0]], #16
    ldr q1, [%[r1]], #16
    ldr q2, [%[r2]], #16
    ldr q3, [%[r3]], #16
    ldr q4, [%[r4]], #16
    ldr q5, [%[r5]], #16
    eor v0.16b, v0.16b, v6.16b
    eor v1.16b, v1.16b, v6.16b
    eor v2.16b, v2.16b, v6.16b
    eor v3.16b, v3.16b, v6.16b
    eor v4.16b, v4.16b, v6.16b
    eor v5.16b, v5.16b, v6.16b
    zip1 v16.2d, v0.2d, v1.2d
    zip1 v17.2d, v2.2d, v3.2d
    zip1 v18.2d, v4.2d, v5.2d
    zip2 v19.2d, v0.2d, v1.2d
    zip2 v20.2d, v2.2d, v3.2d
    zip2 v21.2d, v4.2d, v5.2d
    st1 {v16.16b, v17.16b, v18.16b}, [%[to]], #48
    st1 {v19.16b, v20.16b, v21.16b}, [%[to]], #48
    subs %[n], %[n], #16
    b.hs 1b
  2:
    tbz %[n], #3, 3f
    ldr d0, [%[r0]]
    ldr d1, [%[r1]]
    ldr d2, [%[r2]]
    ldr d3, [%[r3]]
    ldr d4, [%[r4]]
    ldr d5, [%[r5]]
    zip1 v16.2d, v0.2d, v1.2d
    zip1 v17.2d, v2.2d, v3.2d
    zip1 v18.2d, v4.2d, v5.2d
    eor v16.16b, v16.16b, v6.16b
    eor v17.16b, v17.16b, v6.16b
    eor v18.16b, v18.16b, v6.16b
    st1 {v16.16b, v17.16b, v18.16b}, [%[to]], #48
  3:
  )"
               : [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2), [r3] "+r"(r3),
                 [r4] "+r"(r4), [r5] "+r"(r5), [n] "+r"(n), [to] "+r"(to)
               : [flip] "r"(flip)
               : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
                 "v16", "v17", "v18", "v19", "v20", "v21");
  return to;
}

}  // namespace

// Rows beyond those wanted cost less than the code of more functions.
void gemm_q8_6x16__dotprod(const GemmQ8Tile& tile) {
  if (tile.m > 4) return Multiply<6>(tile);
  if (tile.m > 2) return Multiply<4>(tile);
  if (tile.m > 1) return Multiply<2>(tile);
  Multiply<1>(tile);
}

void gemm_q8_pack_6__dotprod(const GemmQ8Rows& rows, void* to) {
  if (rows.m < 6 || rows.sums != nullptr || rows.n % kLine != 0) {
    return PackLines<6>(rows, to);
  }
  auto* line = static_cast<uint8_t*>(to);
  const uint8_t* const* runs = rows.runs;
  for (size_t s = rows.segments; s > 0; --s, runs += rows.m) {
    const uint8_t* six[6];
#pragma GCC unroll 6
    for (size_t i = 0; i < 6; ++i) six[i] = runs[i];
    line = PackSixRows(six, rows.n, rows.flip, line);
  }
}

}  // namespace mace::cpu
