// The output transform of Winograd's F(4, 3) on armv8, two tiles of eight
// channels at a time: a load fills four registers, which are transformed in
// place.
// SPDX-License-Identifier: Apache-2.0
//
// This is assembly because compilers do not use such loads and do not find
// registers for them. A load is contiguous because tiles of eight channels are
// behind one another in m. Registers, while a column or a line of six numbers
// is transformed:
//
//              tile k             tile k + 1
//   channels   0..3     4..7      0..3     4..7
//   number 0   v0       v1        v2       v3
//   number 1   v4       v5        v6       v7
//   ...
//   number 5   v20      v21       v22      v23
//   v24 to v27: temporary; v28, v29: the factors; v30, v31: the bias
//
// Outputs 0, 1 and 2 replace the values 0, 1 and 2, output 3 replaces value 5.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_FOUR_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_FOUR_H_

#include <cstddef>

#include "mace/cpu/ukernels/winograd/winograd_f32.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

// Powers of both points, p and q: v28 is {p, q, p^2, q^2}, the first two lanes
// of v29 are {p^3, q^3}.
struct FourOutputFactors {
  float value[8] = {};
};
constexpr FourOutputFactors MakeFourOutputFactors() {
  constexpr float kP = kWinogradPoints<2>.pair[0];
  constexpr float kQ = kWinogradPoints<2>.pair[1];
  return {{kP, kQ, kP * kP, kQ * kQ, kP * kP * kP, kQ * kQ * kQ, 0, 0}};
}
constexpr FourOutputFactors kFourOutputFactors = MakeFourOutputFactors();

// The operands of the assembly, which reads the fields by their offsets, in
// this order, of eight bytes each. Strides are in bytes. Each column of the
// second tile has its own address and stride, because it may be outside the
// image.
struct FourOutputs {
  const float* m;        // element 0 of the first tile; then that of the second
  ptrdiff_t m_stride;    // between elements
  const float* factors;  // kFourOutputFactors
  float* columns;        // [6][4][16], between the two transforms
  const float* bias;     // 8 floats
  const float* bounds;   // lower, upper
  size_t clamps;         // bit 0: from below, bit 1: from above
  size_t height;         // > 0
  float* y;              // output of the first tile
  ptrdiff_t pixel_stride;
  ptrdiff_t line_stride;
  float* second[4];            // pixels in the first line of the second tile
  ptrdiff_t second_stride[4];  // from line to line
};

// Transforms two tiles. The first loop takes the six columns of m, x0 to x5
// being their six elements, and writes four values of each to `columns`; the
// second takes these as lines, adds the bias, clamps, and stores the pixels:
// x4, x0, x6 and x7 are those of the first tile, x10 to x13 those of the
// second.
//
// mace_two transforms two of the four registers of each number at once, d and
// e, as TransformOutput: while one waits for a result, the other is computed.
// mace_pixels applies `what` to the outputs with b0 for channels 0 to 3 and b1
// for 4 to 7. The instructions for a bound run only where it is finite.
inline void OutputTwo(const FourOutputs& tiles) {
  asm volatile(R"(
    .macro mace_two d0, d1, d2, d3, d4, d5, e0, e1, e2, e3, e4, e5
      fadd v24.4s, v\d1\().4s, v\d2\().4s
      fadd v26.4s, v\e1\().4s, v\e2\().4s
      fadd v25.4s, v\d3\().4s, v\d4\().4s
      fadd v27.4s, v\e3\().4s, v\e4\().4s
      fsub v\d1\().4s, v\d1\().4s, v\d2\().4s
      fsub v\e1\().4s, v\e1\().4s, v\e2\().4s
      fsub v\d3\().4s, v\d3\().4s, v\d4\().4s
      fsub v\e3\().4s, v\e3\().4s, v\e4\().4s
      fadd v\d0\().4s, v\d0\().4s, v24.4s
      fadd v\e0\().4s, v\e0\().4s, v26.4s
      fmul v\d2\().4s, v24.4s, v28.s[2]
      fmul v\e2\().4s, v26.4s, v28.s[2]
      fmla v\d5\().4s, v\d1\().4s, v29.s[0]
      fmla v\e5\().4s, v\e1\().4s, v29.s[0]
      fmul v\d1\().4s, v\d1\().4s, v28.s[0]
      fmul v\e1\().4s, v\e1\().4s, v28.s[0]
      fadd v\d0\().4s, v\d0\().4s, v25.4s
      fadd v\e0\().4s, v\e0\().4s, v27.4s
      fmla v\d2\().4s, v25.4s, v28.s[3]
      fmla v\e2\().4s, v27.4s, v28.s[3]
      fmla v\d5\().4s, v\d3\().4s, v29.s[1]
      fmla v\e5\().4s, v\e3\().4s, v29.s[1]
      fmla v\d1\().4s, v\d3\().4s, v28.s[1]
      fmla v\e1\().4s, v\e3\().4s, v28.s[1]
    .endm
    .macro mace_transform
      mace_two 0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21
      mace_two 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23
    .endm
    .macro mace_pixel what, b0, b1, r0, r1, r2, r3
      \what v\r0\().4s, v\r0\().4s, \b0
      \what v\r1\().4s, v\r1\().4s, \b1
      \what v\r2\().4s, v\r2\().4s, \b0
      \what v\r3\().4s, v\r3\().4s, \b1
    .endm
    .macro mace_pixels what, b0, b1
      mace_pixel \what, \b0, \b1, 0, 1, 2, 3
      mace_pixel \what, \b0, \b1, 4, 5, 6, 7
      mace_pixel \what, \b0, \b1, 8, 9, 10, 11
      mace_pixel \what, \b0, \b1, 20, 21, 22, 23
    .endm

    ldp x0, x6, [%[args]]          // m, m_stride
    ldp x7, x8, [%[args], #16]     // factors, columns
    ld1 {v28.4s, v29.4s}, [x7]
    mov x7, #6
    mul x9, x6, x7
    add x1, x0, x9
    add x2, x1, x9
    add x3, x2, x9
    add x4, x3, x9
    add x5, x4, x9
    mov x9, x8
  1:
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0], x6
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x1], x6
    ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x2], x6
    ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x3], x6
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x4], x6
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x5], x6
    mace_transform
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x9], #64
    st1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x9], #64
    st1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x9], #64
    st1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x9], #64
    subs x7, x7, #1
    b.ne 1b

    ldp x0, x1, [%[args], #32]     // bias, bounds
    ldp x2, x3, [%[args], #48]     // clamps, height
    ldp x4, x5, [%[args], #64]     // y, pixel_stride
    ldp x9, x10, [%[args], #80]    // line_stride, second[0]
    ldp x11, x12, [%[args], #96]
    ldp x13, x14, [%[args], #112]  // second[3], second_stride[0]
    ldp x15, x16, [%[args], #128]
    ldr x17, [%[args], #144]
    ld1 {v30.4s, v31.4s}, [x0]
    add x0, x4, x5
    add x6, x0, x5
    add x7, x6, x5
    mov x19, #4 * 64               // from column to column
    mov x20, #64 - 5 * 4 * 64      // from the last to the next line
  2:
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x8], x19
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [x8], x19
    ld1 {v8.4s, v9.4s, v10.4s, v11.4s}, [x8], x19
    ld1 {v12.4s, v13.4s, v14.4s, v15.4s}, [x8], x19
    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x8], x19
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x8], x20
    mace_transform
    mace_pixels fadd, v30.4s, v31.4s
    cbz x2, 4f
    ld2r {v24.4s, v25.4s}, [x1]
    tbz x2, #0, 3f
    mace_pixels fmax, v24.4s, v24.4s
  3:
    tbz x2, #1, 4f
    mace_pixels fmin, v25.4s, v25.4s
  4:
    st1 {v0.4s, v1.4s}, [x4], x9
    st1 {v4.4s, v5.4s}, [x0], x9
    st1 {v8.4s, v9.4s}, [x6], x9
    st1 {v20.4s, v21.4s}, [x7], x9
    st1 {v2.4s, v3.4s}, [x10], x14
    st1 {v6.4s, v7.4s}, [x11], x15
    st1 {v10.4s, v11.4s}, [x12], x16
    st1 {v22.4s, v23.4s}, [x13], x17
    subs x3, x3, #1
    b.ne 2b
    .purgem mace_two
    .purgem mace_transform
    .purgem mace_pixel
    .purgem mace_pixels
  )"
               :
               : [args] "r"(&tiles)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                 "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19",
                 "x20", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
                 "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
                 "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                 "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

// Returns false for NaN, too: x - x is 0 for finite numbers only.
bool IsFinite(float x) { return x - x == 0; }

// Transforms tiles of eight channels in pairs: all tiles, except the last one
// of an odd number. Returns the number of tiles transformed. REQUIRES:
// t.channels and t.tile_stride are 8, as where a GEMM tile with 8 columns has
// written m.
inline size_t OutputPairs(const WinogradOutputF32& t) {
  constexpr ptrdiff_t kBytes = sizeof(float);
  float columns[6 * 4 * 16], bias[8] = {}, beside[8];
  for (int i = 0; t.bias != nullptr && i < 8; ++i) bias[i] = t.bias[i];
  const float bounds[2] = {t.lower, t.upper};
  FourOutputs args;
  args.m_stride = t.m_stride * kBytes;
  args.factors = kFourOutputFactors.value;
  args.columns = columns;
  args.bias = bias;
  args.bounds = bounds;
  args.clamps = (IsFinite(t.lower) ? 1 : 0) | (IsFinite(t.upper) ? 2 : 0);
  args.height = t.height;
  args.pixel_stride = t.pixel_stride * kBytes;
  args.line_stride = t.line_stride * kBytes;
  size_t k = 0;
  for (; k + 2 <= t.tiles; k += 2) {
    args.m = t.m + k * 8;
    args.y = t.y + static_cast<ptrdiff_t>(4 * k) * t.pixel_stride;
    for (size_t j = 0; j < 4; ++j) {
      // Only the last tile may be cut. Its pixels beyond the width are written
      // to `beside`, which is never read, one line over the other.
      const bool inside = 4 * k + 4 + j < t.width;
      args.second[j] =
          inside ? args.y + static_cast<ptrdiff_t>(4 + j) * t.pixel_stride
                 : beside;
      args.second_stride[j] = inside ? args.line_stride : 0;
    }
    OutputTwo(args);
  }
  return k;
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_OUTPUT_FOUR_H_
