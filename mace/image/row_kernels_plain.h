// The row kernels in plain C++: the definition of the numbers, and what is left
// over at the ends of rows.
// SPDX-License-Identifier: Apache-2.0
//
// In an unnamed namespace, and without functions of the standard library: each
// file compiles this for its own instruction set, and a linker that merged the
// copies would hand one CPU's code to another.
#ifndef MACE_IMAGE_ROW_KERNELS_PLAIN_H_
#define MACE_IMAGE_ROW_KERNELS_PLAIN_H_

#include "mace/image/row_kernels.h"

namespace mace::image {
namespace {

constexpr int32_t kRoundSum = 1 << 21;  // half of the unit of sums

// Clips to [0, 255].
inline uint8_t ToByte(int32_t x) {
  return static_cast<uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x);
}

// Functions with `begin` compute from pixel or element `begin` on; pointers and
// `n` are those of the whole row, so that chroma is found by the pixel's
// number.
inline void PlainYuvToRgbx(const YuvRow& row, const YuvWeights& w, size_t begin,
                           size_t n, uint8_t* out) {
  // Half of 2^13: rounds to the nearest.
  constexpr int32_t kRound = 1 << (kYuvBits - 1);
  for (size_t i = begin; i < n; ++i) {
    const size_t c = row.chroma == Chroma::kEach   ? i
                     : row.chroma == Chroma::kHalf ? i / 2
                                                   : i / 2 * 2;
    const int32_t y = (row.y[i] - w.offset) * w.y + kRound;
    const int32_t u = row.u[c] - 128, v = row.v[c] - 128;
    out[4 * i] = ToByte((y + w.rv * v) >> kYuvBits);
    out[4 * i + 1] = ToByte((y + w.gu * u + w.gv * v) >> kYuvBits);
    out[4 * i + 2] = ToByte((y + w.bu * u) >> kYuvBits);
    out[4 * i + 3] = 0;
  }
}

inline void PlainRgbToRgbx(const uint8_t* in, size_t begin, size_t n,
                           uint8_t* out) {
  for (size_t i = begin; i < n; ++i) {
    for (size_t c = 0; c < 3; ++c) out[4 * i + c] = in[3 * i + c];
    out[4 * i + 3] = 0;
  }
}

// 0.299 R + 0.587 G + 0.114 B in units of 2^-16, which add up to 2^16, as
// Pillow has it.
constexpr int32_t kGrayOfRed = 19595, kGrayOfGreen = 38470, kGrayOfBlue = 7471;

inline void PlainRgbxToGray(const uint8_t* in, size_t begin, size_t n,
                            size_t red, uint8_t* out) {
  for (size_t i = begin; i < n; ++i) {
    const uint8_t* p = in + 4 * i;
    out[i] = static_cast<uint8_t>((p[red] * kGrayOfRed + p[1] * kGrayOfGreen +
                                   p[2 - red] * kGrayOfBlue + 0x8000) >>
                                  16);
  }
}

// Joins the sums of high and low parts. They are unsigned since they wrap
// around on their way; the final sum fits, as weights add up to about 1 and
// negative ones are small.
inline uint8_t EndSum(uint32_t high, uint32_t low) {
  const uint32_t sum =
      (high << kLowBits) + low + static_cast<uint32_t>(kRoundSum);
  return ToByte(static_cast<int32_t>(sum) >> 22);
}

// sum_4_channels and sum_1_channel.
template <size_t kChannels, size_t kGroup>
inline void PlainSum(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + static_cast<size_t>(taps.first[i]) * kChannels;
    const int16_t* w = taps.weights + i * taps.groups * 2 * kGroup;
    uint32_t high[kChannels] = {}, low[kChannels] = {};
    for (size_t g = 0; g < taps.groups; ++g, w += 2 * kGroup) {
      for (size_t k = 0; k < kGroup; ++k, p += kChannels) {
        for (size_t c = 0; c < kChannels; ++c) {
          high[c] += static_cast<uint32_t>(p[c] * w[k]);
          low[c] += static_cast<uint32_t>(p[c] * w[kGroup + k]);
        }
      }
    }
    for (size_t c = 0; c < kChannels; ++c) {
      out[i * kChannels + c] = EndSum(high[c], low[c]);
    }
  }
}

// Half of the unit 2^11 of a mix.
constexpr int32_t kRoundMix = 1 << (kLowBits - 1);

// REQUIRES: weights that are not negative and add up to 2^11: nothing is to be
// clipped.
inline uint8_t Mix(int32_t a, int32_t b, int32_t of_a, int32_t of_b) {
  return static_cast<uint8_t>((a * of_a + b * of_b + kRoundMix) >> kLowBits);
}

inline void PlainMix4(const uint8_t* row, const PackedTaps& taps, size_t begin,
                      uint8_t* out) {
  for (size_t i = begin; i < taps.out; ++i) {
    const uint8_t* p = row + 4 * static_cast<size_t>(taps.first[i]);
    const int16_t* w = taps.weights + kPair * i;
    for (size_t c = 0; c < 4; ++c) {
      out[4 * i + c] = Mix(p[c], p[4 + c], w[0], w[1]);
    }
  }
}

inline void PlainMixRows(const uint8_t* a, const uint8_t* b, size_t begin,
                         size_t n, int16_t of_a, int16_t of_b, uint8_t* out) {
  for (size_t i = begin; i < n; ++i) out[i] = Mix(a[i], b[i], of_a, of_b);
}

// Compilers make vectors of these.
inline void PlainBeginSum(const uint8_t* row, size_t n, int32_t weight,
                          int32_t* sums) {
  for (size_t i = 0; i < n; ++i) sums[i] = kRoundSum + row[i] * weight;
}
inline void PlainAddToSum(const uint8_t* row, size_t n, int32_t weight,
                          int32_t* sums) {
  for (size_t i = 0; i < n; ++i) {
    sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) +
                                   static_cast<uint32_t>(row[i] * weight));
  }
}
inline void PlainEndSum(const int32_t* sums, size_t begin, size_t n,
                        uint8_t* out) {
  for (size_t i = begin; i < n; ++i) out[i] = ToByte(sums[i] >> 22);
}

}  // namespace
}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_KERNELS_PLAIN_H_
