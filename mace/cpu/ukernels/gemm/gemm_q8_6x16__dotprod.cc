// The 6x16 tile of int8 by SDOT, the instruction that adds up four products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_pack_arm.h"

namespace mace::cpu {
namespace {

// v8..v31 accumulate, four registers for each row. v0..v2 hold a line of two
// rows each, whose lanes multiply a group of b, columns in v4 to v7. kUsed is
// 6, 4, 2 or 1 rows. It is assembly because compilers spill when all registers
// are in use.
template <int kUsed>
inline void Multiply(GemmI8Tile t) {
  constexpr int kMaxGroups = kUsed == 6 ? 16 : 8;  // of an iteration
  const void* a = t.a();
  const int8_t* b = t.b();
  size_t groups = t->k / 4;
  int32_t* sums = t.c();
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
    .macro mace_group g
      ld1 {v4.16b, v5.16b, v6.16b, v7.16b}, [%[b]], #64
      mace_column \g, 4, 8, 12, 16, 20, 24, 28
      mace_column \g, 5, 9, 13, 17, 21, 25, 29
      mace_column \g, 6, 10, 14, 18, 22, 26, 30
      mace_column \g, 7, 11, 15, 19, 23, 27, 31
    .endm
    .macro mace_line lines
      .rept \lines
      ld1 {v0.16b, v1.16b, v2.16b}, [%[a]], #48
      mace_group 0
      mace_group 1
      .endr
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
    subs %[groups], %[groups], #%c[most]
    b.lo 2f
  1:
    mace_line %c[most] / 2
    subs %[groups], %[groups], #%c[most]
    b.hs 1b
  2:
    adds %[groups], %[groups], #%c[most] - 4
    b.mi 4f
  3:
    mace_line 2
    subs %[groups], %[groups], #4
    b.hs 3b
  4:
    tbz %[groups], #1, 5f
    mace_line 1
  5:
    tbz %[groups], #0, 6f
    ld1 {v0.16b, v1.16b, v2.16b}, [%[a]]
    mace_group 0
  6:
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
      : [start] "r"(t.bias()), [rows] "i"(kUsed), [most] "i"(kMaxGroups)
      : "memory", "cc", "v0", "v1", "v2", "v4", "v5", "v6", "v7", "v8", "v9",
        "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",
        "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
        "v30", "v31");
}

// Copies n values of six rows, a multiple of 8, to the lines from `to` on, and
// returns their end.
template <bool kFlips>
inline uint8_t* PackSixRows(const uint8_t* const (&rows)[6], size_t n,
                            uint8_t flip, uint8_t* to) {
  const uint8_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3],
                *r4 = rows[4], *r5 = rows[5];
  asm volatile(R"(
    .macro mace_flip a, b, c
      .if %c[flips]
      eor v\a\().16b, v\a\().16b, v28.16b
      eor v\b\().16b, v\b\().16b, v28.16b
      eor v\c\().16b, v\c\().16b, v28.16b
      .endif
    .endm
    .macro mace_lines a, b, c, d, e, f
      zip1 v16.2d, v\a\().2d, v\b\().2d
      zip1 v17.2d, v\c\().2d, v\d\().2d
      zip1 v18.2d, v\e\().2d, v\f\().2d
      zip2 v19.2d, v\a\().2d, v\b\().2d
      zip2 v20.2d, v\c\().2d, v\d\().2d
      zip2 v21.2d, v\e\().2d, v\f\().2d
      st1 {v16.16b, v17.16b, v18.16b}, [%[to]], #48
      st1 {v19.16b, v20.16b, v21.16b}, [%[to]], #48
    .endm

    dup v28.16b, %w[flip]
    subs %[n], %[n], #32
    b.lo 2f
  1:
    ldp q0, q22, [%[r0]], #32
    ldp q1, q23, [%[r1]], #32
    ldp q2, q24, [%[r2]], #32
    ldp q3, q25, [%[r3]], #32
    ldp q4, q26, [%[r4]], #32
    ldp q5, q27, [%[r5]], #32
    mace_flip 0, 1, 2
    mace_flip 3, 4, 5
    mace_flip 22, 23, 24
    mace_flip 25, 26, 27
    mace_lines 0, 1, 2, 3, 4, 5
    subs %[n], %[n], #32
    mace_lines 22, 23, 24, 25, 26, 27
    b.hs 1b
  2:
    tbz %[n], #4, 3f
    ldr q0, [%[r0]], #16
    ldr q1, [%[r1]], #16
    ldr q2, [%[r2]], #16
    ldr q3, [%[r3]], #16
    ldr q4, [%[r4]], #16
    ldr q5, [%[r5]], #16
    mace_flip 0, 1, 2
    mace_flip 3, 4, 5
    mace_lines 0, 1, 2, 3, 4, 5
  3:
    tbz %[n], #3, 4f
    ldr d0, [%[r0]]
    ldr d1, [%[r1]]
    ldr d2, [%[r2]]
    ldr d3, [%[r3]]
    ldr d4, [%[r4]]
    ldr d5, [%[r5]]
    zip1 v16.2d, v0.2d, v1.2d
    zip1 v17.2d, v2.2d, v3.2d
    zip1 v18.2d, v4.2d, v5.2d
    mace_flip 16, 17, 18
    st1 {v16.16b, v17.16b, v18.16b}, [%[to]], #48
  4:
    .purgem mace_flip
    .purgem mace_lines
  )"
               : [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2), [r3] "+r"(r3),
                 [r4] "+r"(r4), [r5] "+r"(r5), [n] "+r"(n), [to] "+r"(to)
               : [flip] "r"(flip), [flips] "i"(kFlips)
               : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v16",
                 "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                 "v26", "v27", "v28");
  return to;
}

// The values of rows whose runs are not lines, one after the other. Longer rows
// are packed without them.
constexpr size_t kMaxGathered = 512;

// How many values a run has: 8 to 16, 16 to 24, or any number from 8 on.
enum class RunSize { kTo16, kTo24, kAny };

// Copies runs of n values, some of the values twice.
template <RunSize kSize>
inline void CopyRuns(const uint8_t* const* run, size_t m, size_t segments,
                     size_t n, uint8_t* to) {
  for (; segments > 0; --segments, run += m, to += n) {
    const uint8_t* from = *run;
    const uint8x8_t last = vld1_u8(from + n - 8);
    size_t i = 0;
    if (kSize == RunSize::kAny) {
      for (; i + 16 <= n; i += 16) vst1q_u8(to + i, vld1q_u8(from + i));
      if (n - i > 8) vst1_u8(to + i, vld1_u8(from + i));
    } else if (kSize == RunSize::kTo24) {
      vst1q_u8(to, vld1q_u8(from));
    } else {
      vst1_u8(to, vld1_u8(from));
    }
    vst1_u8(to + n - 8, last);
  }
}

inline void Gather(const GemmRuns& rows, size_t i, uint8_t* to) {
  const uint8_t* const* run = rows.runs + i;
  if (rows.n <= 16) {
    return CopyRuns<RunSize::kTo16>(run, rows.m, rows.segments, rows.n, to);
  }
  if (rows.n <= 24) {
    return CopyRuns<RunSize::kTo24>(run, rows.m, rows.segments, rows.n, to);
  }
  CopyRuns<RunSize::kAny>(run, rows.m, rows.segments, rows.n, to);
}

inline void PackGathered(const GemmRuns& rows, uint8_t* to) {
  const size_t depth = (rows.n * rows.segments + kLine - 1) / kLine * kLine;
  const uint8x8_t flip = vdup_n_u8(rows.flip);
  uint8_t quantized[6][kMaxGathered];
  const uint8_t* six[6];
  for (size_t i = 0; i < rows.m; ++i) {
    vst1_u8(quantized[i] + depth - kLine, flip);  // zeros once it is flipped
    Gather(rows, i, quantized[i]);
    six[i] = quantized[i];
  }
  if (rows.m == 6) {
    rows.flip == 0 ? PackSixRows<false>(six, depth, rows.flip, to)
                   : PackSixRows<true>(six, depth, rows.flip, to);
    return;
  }
  for (size_t i = 0; i < rows.m; ++i, to += kLine) {
    for (size_t at = 0; at < depth; at += kLine) {
      vst1_u8(to + 6 * at, veor_u8(vld1_u8(quantized[i] + at), flip));
    }
  }
}

}  // namespace

// Rows beyond those wanted cost less than the code of more functions.
void gemm_q8_6x16__dotprod(GemmI8Tile tile) {
  if (tile->m > 4) return Multiply<6>(tile);
  if (tile->m > 2) return Multiply<4>(tile);
  if (tile->m > 1) return Multiply<2>(tile);
  Multiply<1>(tile);
}

void gemm_q8_pack_6__dotprod(const GemmRuns& rows, void* to) {
  const bool gathers = rows.n % kLine != 0;
  if (rows.sums != nullptr || (gathers ? rows.n < 8 : rows.m < 6) ||
      (gathers && rows.n * rows.segments > kMaxGathered)) {
    return PackLines<6>(rows, to);
  }
  if (gathers) return PackGathered(rows, static_cast<uint8_t*>(to));
  auto* line = static_cast<uint8_t*>(to);
  const uint8_t* const* runs = rows.runs;
  for (size_t s = rows.segments; s > 0; --s, runs += rows.m) {
    const uint8_t* six[6];
#pragma GCC unroll 6
    for (size_t i = 0; i < 6; ++i) six[i] = runs[i];
    line = rows.flip == 0 ? PackSixRows<false>(six, rows.n, rows.flip, line)
                          : PackSixRows<true>(six, rows.n, rows.flip, line);
  }
}

}  // namespace mace::cpu
