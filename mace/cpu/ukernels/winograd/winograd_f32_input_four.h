// The input transform of Winograd's F(4, 3) on armv8, sixteen channels at a
// time: a load fills four registers, which are transformed in place.
// SPDX-License-Identifier: Apache-2.0
//
// This is assembly because compilers do not use such loads and do not find
// registers for them. Registers, while a column or a line of six numbers is
// transformed:
//
//   channels   c..c+3   c+4..c+7   c+8..c+11   c+12..c+15
//   number 0   v0       v1         v2          v3
//   number 1   v4       v5         v6          v7
//   ...
//   number 5   v20      v21        v22         v23
//   v24 to v29: temporary; v30, v31: the factors
//
// Unlike winograd_f32_input.h, which begins anew with each tile, this
// transforms the columns of all tiles first: two neighbours share two columns,
// which are thus transformed once.
//
//   1. for each column in the image: six pixels, one of each line
//        --> columns [column][6][16]
//   2. for each tile, for each of its six lines: that line of its six columns
//        --> six elements of v
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_FOUR_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_FOUR_H_

#include <cstddef>

#include "mace/cpu/ukernels/winograd/winograd_f32.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

constexpr size_t kInputTogether = 16;  // channels: four registers
// A column between the two transforms, [line][channel].
using InputColumn = float[6][kInputTogether];

// The factors of TransformInput, with p and q the pairs. Lanes of v30 and of
// v31:
//
//   v30   all[0]   all[1]   without[p][0]       without[q][0]
//   v31   p        q        p * without[p][0]   q * without[q][0]
struct FourInputFactors {
  float value[8] = {};
};
constexpr FourInputFactors MakeFourInputFactors() {
  constexpr WinogradPoints<2> kOf = kWinogradPoints<2>;
  return {{kOf.all[0], kOf.all[1], kOf.without[0][0], kOf.without[1][0],
           kOf.pair[0], kOf.pair[1], kOf.pair[0] * kOf.without[0][0],
           kOf.pair[1] * kOf.without[1][0]}};
}
constexpr FourInputFactors kFourInputFactors = MakeFourInputFactors();

// The operands of the assembly, which reads the fields by their offsets, in
// this order, of eight bytes each (`lines` has twelve). Strides are in bytes,
// those of `lines` as well.
struct FourInputs {
  WinogradLineF32 lines[6];
  size_t count;                // number of columns inside the image; may be 0
  InputColumn* inside;         // the first of these columns
  const InputColumn* columns;  // column 0 of the first tile
  float* v;                    // element 0, channel c of the first tile
  ptrdiff_t v_stride;
  ptrdiff_t group_stride;
  ptrdiff_t next_line;  // from the last group of a line of v to the next line
  ptrdiff_t next_tile;  // from behind the last line to the next tile
  size_t tiles;         // > 0
  const float* factors;
};

// Transforms sixteen channels of all tiles. In the first loop, x0 to x5 are
// pixels of the six lines, x6 to x11 their strides, and x13 is the column that
// is written. In the others, x1 reads `columns`, and x2 to x7 write the six
// elements of a line of v, x8 and x9 being the steps of x1, x10 and x11 those
// of x2 to x7.
//
// mace_two transforms two of the four registers of each number at once, d and
// e, as TransformInput: while one waits for a result, the other is computed. It
// writes number i over number i. The macros are local: .purgem removes them, as
// compilers may copy the assembly.
inline void TransformSixteen(const FourInputs& tiles) {
  asm volatile(R"(
    .macro mace_two d0, d1, d2, d3, d4, d5, e0, e1, e2, e3, e4, e5
      mov v24.16b, v\d4\().16b
      mov v27.16b, v\e4\().16b
      fmul v25.4s, v\d3\().4s, v31.s[0]
      fmul v28.4s, v\e3\().4s, v31.s[0]
      fmul v26.4s, v\d3\().4s, v31.s[1]
      fmul v29.4s, v\e3\().4s, v31.s[1]
      fmul v\d0\().4s, v\d0\().4s, v30.s[0]
      fmul v\e0\().4s, v\e0\().4s, v30.s[0]
      fmla v24.4s, v\d2\().4s, v30.s[2]
      fmla v27.4s, v\e2\().4s, v30.s[2]
      fmla v25.4s, v\d1\().4s, v31.s[2]
      fmla v28.4s, v\e1\().4s, v31.s[2]
      fmla v26.4s, v\d1\().4s, v31.s[3]
      fmla v29.4s, v\e1\().4s, v31.s[3]
      fmla v\d0\().4s, v\d2\().4s, v30.s[1]
      fmla v\e0\().4s, v\e2\().4s, v30.s[1]
      fmla v\d5\().4s, v\d1\().4s, v30.s[0]
      fmla v\e5\().4s, v\e1\().4s, v30.s[0]
      fadd v\d0\().4s, v\d0\().4s, v\d4\().4s
      fadd v\e0\().4s, v\e0\().4s, v\e4\().4s
      fmla v\d4\().4s, v\d2\().4s, v30.s[3]
      fmla v\e4\().4s, v\e2\().4s, v30.s[3]
      fmla v\d5\().4s, v\d3\().4s, v30.s[1]
      fmla v\e5\().4s, v\e3\().4s, v30.s[1]
      fadd v\d1\().4s, v24.4s, v25.4s
      fadd v\e1\().4s, v27.4s, v28.4s
      fsub v\d2\().4s, v24.4s, v25.4s
      fsub v\e2\().4s, v27.4s, v28.4s
      fadd v\d3\().4s, v\d4\().4s, v26.4s
      fadd v\e3\().4s, v\e4\().4s, v29.4s
      fsub v\d4\().4s, v\d4\().4s, v26.4s
      fsub v\e4\().4s, v\e4\().4s, v29.4s
    .endm
    .macro mace_transform
      mace_two 0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21
      mace_two 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23
    .endm
    .macro mace_element at, r0, r1, r2, r3
      st1 {v\r0\().4s}, [\at], x10
      st1 {v\r1\().4s}, [\at], x10
      st1 {v\r2\().4s}, [\at], x10
      st1 {v\r3\().4s}, [\at], x11
    .endm

    ldp x0, x6, [%[args]]          // lines
    ldp x1, x7, [%[args], #16]
    ldp x2, x8, [%[args], #32]
    ldp x3, x9, [%[args], #48]
    ldp x4, x10, [%[args], #64]
    ldp x5, x11, [%[args], #80]
    ldp x12, x13, [%[args], #96]   // count, inside
    ldr x14, [%[args], #168]       // factors
    ld1 {v30.4s, v31.4s}, [x14]
    cbz x12, 2f
  1:                               // columns
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0], x6
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x1], x7
    ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x2], x8
    ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x3], x9
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x4], x10
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x5], x11
    mace_transform
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x13], #64
    st1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x13], #64
    st1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x13], #64
    st1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x13], #64
    st1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x13], #64
    st1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x13], #64
    subs x12, x12, #1
    b.ne 1b
  2:
    ldp x1, x2, [%[args], #112]    // columns, v
    ldp x9, x10, [%[args], #128]   // v_stride, group_stride
    ldp x11, x12, [%[args], #144]  // next_line, next_tile
    ldr x13, [%[args], #160]       // tiles
    add x3, x2, x9                 // the six elements of a line of v
    add x4, x3, x9
    add x5, x4, x9
    add x6, x5, x9
    add x7, x6, x9
    mov x8, #6 * 64                // from column to column
    mov x9, #64 - 5 * 6 * 64       // from the last to the next line
  3:                               // tiles
    mov x14, #6
  4:                               // lines
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x1], x8
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x1], x8
    ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x1], x8
    ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x1], x8
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x1], x8
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x1], x9
    mace_transform
    mace_element x2, 0, 1, 2, 3
    mace_element x3, 4, 5, 6, 7
    mace_element x4, 8, 9, 10, 11
    mace_element x5, 12, 13, 14, 15
    mace_element x6, 16, 17, 18, 19
    mace_element x7, 20, 21, 22, 23
    subs x14, x14, #1
    b.ne 4b
    add x1, x1, #3 * 6 * 64        // four columns on, less the lines
    add x2, x2, x12
    add x3, x3, x12
    add x4, x4, x12
    add x5, x5, x12
    add x6, x6, x12
    add x7, x7, x12
    subs x13, x13, #1
    b.ne 3b
    .purgem mace_two
    .purgem mace_transform
    .purgem mace_element
  )"
               :
               : [args] "r"(&tiles)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                 "x10", "x11", "x12", "x13", "x14", "v0", "v1", "v2", "v3",
                 "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
                 "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
                 "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
                 "cc", "memory");
}

// Transforms channels c to c + 15 of all tiles; c is a multiple of 16.
// `columns` has (tiles - 1) * 4 + 6 columns. REQUIRES: the columns outside the
// image, [0, first) and [end, ...), have been set to 0, the transform of zeros.
// They are still 0 for the next channels.
inline void InputSixteen(const WinogradInputF32& t, size_t c,
                         InputColumn* columns) {
  constexpr ptrdiff_t kBytes = sizeof(float);
  FourInputs args;
  for (int i = 0; i < 6; ++i) {
    args.lines[i] = {t.lines[i].x + c, t.lines[i].pixel_stride * kBytes};
  }
  args.count = t.end - t.first;
  args.inside = columns + t.first;
  args.columns = columns;
  args.v = t.v + static_cast<ptrdiff_t>(c / 4) * t.group_stride;
  args.v_stride = t.v_stride * kBytes;
  args.group_stride = t.group_stride * kBytes;
  // Four groups have been written, with a step of group_stride between them.
  args.next_line = 6 * args.v_stride - 3 * args.group_stride;
  args.next_tile = t.tile_stride * kBytes - 36 * args.v_stride;
  args.tiles = t.tiles;
  args.factors = kFourInputFactors.value;
  TransformSixteen(args);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_FOUR_H_
