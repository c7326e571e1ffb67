// RowKernels: what is done to rows of pixels, for each instruction set.
// SPDX-License-Identifier: Apache-2.0
//
// All of them compute the same whole numbers, so that an image becomes the same
// tensor on every CPU. Pointers need no more alignment than their elements;
// inputs and outputs do not overlap. Functions write exactly what they compute,
// and read no more unless their comments tell otherwise. "Pixels of 4 bytes"
// are R, G, B or B, G, R and a byte of any value.
#ifndef MACE_IMAGE_ROW_KERNELS_H_
#define MACE_IMAGE_ROW_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/status.h"

namespace mace::image {

// Where the U and V of a row's pixels are.
enum class Chroma {
  kEach,   // one U and one V for each pixel
  kHalf,   // one for two pixels
  kPairs,  // one for two pixels; U and V alternate
};

struct YuvRow {
  const uint8_t *y, *u, *v;  // of kPairs, u and v are 1 apart
  Chroma chroma;
};

// Of YUV to RGB, times 2^13: R = y (Y - offset) + rv (V - 128),
// G = y (Y - offset) + gu (U - 128) + gv (V - 128), B = y ... + bu (U - 128).
struct YuvWeights {
  int16_t offset, y, rv, gu, gv, bu;
};
constexpr int kYuvBits = 13;

// The weights of an axis as the sums below read them. A weight in units of
// 2^-22 is high * 2^11 + low with 0 <= low < 2^11, so that both parts are
// factors of 16-bit multiplications with 32-bit sums; these may wrap around,
// but what both add up to fits. Taps come in groups of G, of which each has its
// G high parts and then its G low parts; unused taps are 0:
// weights  h0 h1 h2 h3  l0 l1 l2 l3 | h4 h5 h6 h7  l4 l5 l6 l7   (G = 4)
//            group 0                   group 1
struct PackedTaps {
  const int32_t* first;    // [out]: the pixel of tap 0
  const int16_t* weights;  // [out][groups][2][G]
  size_t groups;           // of each output
  size_t out;
};
constexpr int kLowBits = 11;
constexpr size_t kGroupOf4 = 4;  // G of sum_4_channels
constexpr size_t kGroupOf1 = 8;  // G of sum_1_channel
// mix_4_channels has two taps and their high parts only: [out][2].
constexpr size_t kPair = 2;

// One instruction set. A function is called for a row, from any thread.
struct RowKernels {
  const char* name;  // image_rows__{isa}
  // Whether this CPU has the instruction set.
  bool (*runs_here)();

  // Converts n pixels to R, G, B and any byte, each (sum + 2^12) >> 13 and
  // clipped to [0, 255]. Half-resolution chroma begins with that of the first
  // pixel.
  void (*yuv_to_rgbx)(const YuvRow& row, const YuvWeights& weights, size_t n,
                      uint8_t* out);
  // 3 bytes each to 4 bytes each, in the same order.
  void (*rgb_to_rgbx)(const uint8_t* in, size_t n, uint8_t* out);
  // 4 bytes each to gray. R is byte `red` of a pixel, 0 or 2; B is byte
  // 2 - red.
  void (*rgbx_to_gray)(const uint8_t* in, size_t n, size_t red, uint8_t* out);

  // Sums along a row: out[i] = (2^21 + the sum of taps of pixels from first[i]
  // on) >> 22, clipped to [0, 255], for taps.out pixels of 4 bytes, or of 1.
  // Reads groups * G pixels from each first[i] on.
  void (*sum_4_channels)(const uint8_t* row, const PackedTaps& taps,
                         uint8_t* out);
  void (*sum_1_channel)(const uint8_t* row, const PackedTaps& taps,
                        uint8_t* out);

  // The same of two pixels of 4 bytes whose weights have no low parts, and are
  // not negative: (2^10 + a * w0 + b * w1) >> 11. Reads two pixels where one is
  // needed.
  void (*mix_4_channels)(const uint8_t* row, const PackedTaps& taps,
                         uint8_t* out);
  // Mixes two rows of n elements in this way, with the high parts of weights
  // that add up to 2^11.
  void (*mix_rows)(const uint8_t* a, const uint8_t* b, size_t n, int16_t of_a,
                   int16_t of_b, uint8_t* out);

  // Sum rows of n elements: begin_sum writes 2^21 + row[i] * weight, add_to_sum
  // adds row[i] * weight, and end_sum writes sums[i] >> 22, clipped to [0,
  // 255]. Weights are in units of 2^-22.
  void (*begin_sum)(const uint8_t* row, size_t n, int32_t weight,
                    int32_t* sums);
  void (*add_to_sum)(const uint8_t* row, size_t n, int32_t weight,
                     int32_t* sums);
  void (*end_sum)(const int32_t* sums, size_t n, uint8_t* out);
};

// Those of this build, the fastest first; the last one runs everywhere.
extern const RowKernels* const kRowKernels[];
extern const size_t kNumRowKernels;

// Returns the first of them that this CPU has and computes rightly with. The
// first call of the process tests them. Thread-safe. Errors: MACE_RUNTIME_ERROR
// if there is none; MACE_OUT_OF_RESOURCES.
Result<const RowKernels*> BestRowKernels();

}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_KERNELS_H_
