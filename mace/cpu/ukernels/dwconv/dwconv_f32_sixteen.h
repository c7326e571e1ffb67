// The depthwise tile of 3x3 windows for armv8, sixteen channels at a time: each
// load fills four registers and advances to the next channels.
// SPDX-License-Identifier: Apache-2.0
//
// dwconv_f32__aarch64.cc includes it. Taps are packed by 16 channels:
//
//   w  |r0 k0         |r0 k1 |r0 k2 |r1 k0 | ... |r2 k2 |  the next 16 channels
//      |c0 .. c15     |
//       v16 v17 v18 v19   k0 of a line; k1 in v20 .. v23, k2 in v24 .. v27
//
// A tile of up to 4 outputs with stride 1, or 3 with stride 2, reads 6 or 7
// columns:
//
//   column     0 1 2 3 4 5          0 1 2 3 4 5 6
//   output 0   |---|                |---|              v0 .. v3
//   output 1     |---|                  |---|          v4 .. v7
//   output 2       |---|                    |---|      v8 .. v11
//   output 3         |---|                             v12 .. v15
//
// Wider tiles are computed in such parts. The assembly needs a bias, a window
// of 3x3 taps, and two or three of its lines in the tile. All other tiles, and
// the channels after whole sixteens, are computed in vectors of four by
// dwconv_f32_line.h, from the same packing.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SIXTEEN_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SIXTEEN_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {
namespace {

// Channels that are computed together, and whose taps are packed together.
constexpr size_t kTogether = 16;

// The operands of the assembly, which reads the fields in pairs, by their
// offsets: their order and their size, 8 bytes each, must stay.
struct Sixteens {
  const float* const* x;  // kLines lines
  ptrdiff_t x_stride;     // bytes between the lines of x
  // Three lines of taps for each sixteen, without gaps. If kLines is 2, the
  // third line is passed over.
  const float* w;
  const float* bias;  // not null
  float* y;
  ptrdiff_t y_stride;   // bytes
  size_t count;         // number of sixteens of channels, > 0
  const float* bounds;  // lower, upper
};

// v0..v15 accumulate, four registers for each output. For each line of the
// window, v16..v27 hold its taps and v28..v31 a pixel. x1..x22 point to pixels,
// seven registers for each line (systems reserve x18), and x23..x26 to outputs.
// The bounds are in a register that no pixel or output needs: x7 with stride 1,
// which has six columns, x26 with stride 2, which has three outputs. x27 runs
// through w, x28 through the bias, and x0 counts. It is assembly because
// compilers spill and move registers when all of them are in use.
//
// The macros are, from the inside outwards:
//
//   mace_multiply  a pixel times a tap, added to an output: 16 channels
//   mace_output    the same, if column - output * stride is a tap of the window
//   mace_column    loads a pixel, and adds it to all outputs that read it
//   mace_line      loads the three taps of a line, then all its columns
//   mace_start     loads the bias for an output; the last one moves on
//   mace_end       clamps an output, and stores it
//
// kStride, kWidth and kLines decide at assembly time what the macros leave out.
// The macros are purged at the end, because the compiler may emit the block
// several times in one file. There is one input operand in a register, `at`:
// the clobbered registers leave hardly any other.
template <int kStride, int kWidth, int kLines>
inline void MultiplySixteens(const Sixteens& tile) {
  static_assert(kStride == 1 ? kWidth <= 4 : kWidth <= 3);
  // All pointers are loaded before the loop, which runs once for each sixteen.
  // Each load of a pixel and each store of an output moves its pointer on by 64
  // bytes.
  const Sixteens* at = &tile;
  asm volatile(R"(
    .macro mace_pointer column, to
      .if \column < %c[columns]
      ldr \to, [x27, #8 * \column]
      .endif
    .endm
    .macro mace_pointers c0, c1, c2, c3, c4, c5, c6
      mace_pointer 0, \c0
      mace_pointer 1, \c1
      mace_pointer 2, \c2
      mace_pointer 3, \c3
      mace_pointer 4, \c4
      mace_pointer 5, \c5
      mace_pointer 6, \c6
    .endm
    .macro mace_multiply t0, t1, t2, t3, a0, a1, a2, a3
      fmla v\a0\().4s, v28.4s, v\t0\().4s
      fmla v\a1\().4s, v29.4s, v\t1\().4s
      fmla v\a2\().4s, v30.4s, v\t2\().4s
      fmla v\a3\().4s, v31.4s, v\t3\().4s
    .endm
    .macro mace_output column, output, acc:vararg
      .if \output < %c[width]
      .if \column - \output * %c[stride] == 0
      mace_multiply 16, 17, 18, 19, \acc
      .elseif \column - \output * %c[stride] == 1
      mace_multiply 20, 21, 22, 23, \acc
      .elseif \column - \output * %c[stride] == 2
      mace_multiply 24, 25, 26, 27, \acc
      .endif
      .endif
    .endm
    .macro mace_column column, pixel
      .if \column < %c[columns]
      ld1 {v28.4s, v29.4s, v30.4s, v31.4s}, [\pixel], #64
      mace_output \column, 0, 0, 1, 2, 3
      mace_output \column, 1, 4, 5, 6, 7
      mace_output \column, 2, 8, 9, 10, 11
      mace_output \column, 3, 12, 13, 14, 15
      .endif
    .endm
    .macro mace_line c0, c1, c2, c3, c4, c5, c6
      ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [x27], #64
      ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [x27], #64
      ld1 {v24.4s, v25.4s, v26.4s, v27.4s}, [x27], #64
      mace_column 0, \c0
      mace_column 1, \c1
      mace_column 2, \c2
      mace_column 3, \c3
      mace_column 4, \c4
      mace_column 5, \c5
      mace_column 6, \c6
    .endm
    .macro mace_start output, r0, r1, r2, r3
      .if \output + 1 < %c[width]
      ld1 {v\r0\().4s, v\r1\().4s, v\r2\().4s, v\r3\().4s}, [x28]
      .elseif \output + 1 == %c[width]
      ld1 {v\r0\().4s, v\r1\().4s, v\r2\().4s, v\r3\().4s}, [x28], #64
      .endif
    .endm
    .macro mace_end output, y, r0, r1, r2, r3
      .if \output < %c[width]
      fmax v\r0\().4s, v\r0\().4s, v16.4s
      fmax v\r1\().4s, v\r1\().4s, v16.4s
      fmax v\r2\().4s, v\r2\().4s, v16.4s
      fmax v\r3\().4s, v\r3\().4s, v16.4s
      fmin v\r0\().4s, v\r0\().4s, v17.4s
      fmin v\r1\().4s, v\r1\().4s, v17.4s
      fmin v\r2\().4s, v\r2\().4s, v17.4s
      fmin v\r3\().4s, v\r3\().4s, v17.4s
      st1 {v\r0\().4s, v\r1\().4s, v\r2\().4s, v\r3\().4s}, [\y], #64
      .endif
    .endm

    ldp x27, x0, [%[at]]        // x, x_stride
    mace_pointers x1, x2, x3, x4, x5, x6, x7
    add x27, x27, x0
    mace_pointers x8, x9, x10, x11, x12, x13, x14
    .if %c[lines] > 2
    add x27, x27, x0
    mace_pointers x15, x16, x17, x19, x20, x21, x22
    .endif
    ldp x27, x28, [%[at], #16]  // w, bias
    ldp x23, x0, [%[at], #32]   // y, y_stride
    add x24, x23, x0
    add x25, x24, x0
    .if %c[stride] == 1
    add x26, x25, x0
    ldp x0, x7, [%[at], #48]    // count, bounds
    .else
    ldp x0, x26, [%[at], #48]
    .endif
  1:
    mace_start 0, 0, 1, 2, 3
    mace_start 1, 4, 5, 6, 7
    mace_start 2, 8, 9, 10, 11
    mace_start 3, 12, 13, 14, 15
    mace_line x1, x2, x3, x4, x5, x6, x7
    mace_line x8, x9, x10, x11, x12, x13, x14
    .if %c[lines] > 2
    mace_line x15, x16, x17, x19, x20, x21, x22
    .else
    add x27, x27, #3 * 64
    .endif
    .if %c[stride] == 1
    ld2r {v16.4s, v17.4s}, [x7]
    .else
    ld2r {v16.4s, v17.4s}, [x26]
    .endif
    mace_end 0, x23, 0, 1, 2, 3
    mace_end 1, x24, 4, 5, 6, 7
    mace_end 2, x25, 8, 9, 10, 11
    mace_end 3, x26, 12, 13, 14, 15
    subs x0, x0, #1
    b.ne 1b
    .purgem mace_pointer
    .purgem mace_pointers
    .purgem mace_multiply
    .purgem mace_output
    .purgem mace_column
    .purgem mace_line
    .purgem mace_start
    .purgem mace_end
  )"
               :
               : [at] "r"(at), [stride] "i"(kStride), [width] "i"(kWidth),
                 [lines] "i"(kLines), [columns] "i"((kWidth - 1) * kStride + 3)
               : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                 "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19",
                 "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
                 "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
                 "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
                 "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
                 "v28", "v29", "v30", "v31", "cc", "memory");
}

// Computes channels [c, c + n), fewer than a vector has, for one output after
// the other. `w` are the taps from channel c on; each tap has 16 channels. Not
// inlined, since few models have such channels.
template <int kStride>
__attribute__((noinline)) void PartOfVector(DwconvF32Tile t, size_t columns,
                                            size_t width, const float* w,
                                            size_t c, size_t n) {
  for (; width > 0; --width, t.x += kStride, t.y += t.y_stride) {
    LineChannels<3, kStride, 1, true, kTogether>(t, columns, w, c, n);
  }
}

// Computes all channels from `c` on of a tile of kWidth outputs, four at a
// time. REQUIRES: c is a multiple of 4.
template <int kStride, int kWidth>
inline void RemainingChannels(const DwconvF32Tile& t, size_t columns,
                              size_t c) {
  for (; c < t.channels; c += simd::kLanes) {
    const float* w = t.w + static_cast<ptrdiff_t>(c / kTogether) * t.w_stride +
                     c % kTogether;
    const size_t n = t.channels - c;
    if (n < simd::kLanes) {
      return PartOfVector<kStride>(t, columns, kWidth, w, c, n);
    }
    LineChannels<3, kStride, kWidth, false, kTogether>(t, columns, w, c, n);
  }
}

// Computes the first kWidth outputs. A line of x has `columns` pixels: those of
// the caller's whole tile, of which these outputs read the first (kWidth - 1) *
// kStride + 3.
template <int kStride, int kWidth>
void Sixteen(const DwconvF32Tile& t, size_t columns) {
  const float bounds[2] = {t.lower, t.upper};
  const Sixteens tile = {t.x,
                         static_cast<ptrdiff_t>(columns * sizeof t.x[0]),
                         t.w,
                         t.bias,
                         t.y,
                         t.y_stride * static_cast<ptrdiff_t>(sizeof t.y[0]),
                         t.channels / kTogether,
                         bounds};
  // The assembly expects 3x3 taps for each sixteen without gaps. With two lines
  // it passes over the line of taps behind them: the third line, or, if the
  // tile leaves the first one out and w begins with the second one, the first
  // line of the next sixteen.
  const bool fits = tile.count > 0 && t.bias != nullptr &&
                    t.w_stride == 9 * static_cast<ptrdiff_t>(kTogether) &&
                    (t.height == 2 || t.height == 3);
  if (!fits) return RemainingChannels<kStride, kWidth>(t, columns, 0);
  if (t.height == 3) {
    MultiplySixteens<kStride, kWidth, 3>(tile);
  } else {
    MultiplySixteens<kStride, kWidth, 2>(tile);
  }
  RemainingChannels<kStride, kWidth>(t, columns, tile.count * kTogether);
}

// Computes a tile of any width, in parts as wide as the registers allow.
template <int kStride>
void DispatchSixteen(const DwconvF32Tile& tile) {
  constexpr size_t kWidth = kStride == 1 ? 4 : 3;
  const size_t columns = (tile.width - 1) * kStride + 3;
  DwconvF32Tile t = tile;
  for (; t.width >= kWidth; t.width -= kWidth) {
    Sixteen<kStride, kWidth>(t, columns);
    t.x += kWidth * kStride;
    t.y += static_cast<ptrdiff_t>(kWidth) * t.y_stride;
  }
  if (t.width == 3) {
    if constexpr (kWidth > 3) Sixteen<kStride, 3>(t, columns);
  } else if (t.width == 2) {
    Sixteen<kStride, 2>(t, columns);
  } else if (t.width == 1) {
    Sixteen<kStride, 1>(t, columns);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_SIXTEEN_H_
