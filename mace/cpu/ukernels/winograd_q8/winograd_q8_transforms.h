// The transforms of Winograd's F(4x4, 3x3) for quantized values, in vectors of
// kBytes.
// SPDX-License-Identifier: Apache-2.0
//
// The compiler's own vectors serve every instruction set: these are additions
// and shifts of 16 and 32 bits.
//
// kBytes is the length of a vector of int16 or int32, that of the registers
// with which the GEMM multiplies: 64 for AVX-512, 32 for AVX2 and AVX-VNNI, 16
// elsewhere. A group of v is a vector of kBytes / 2 channels.
// Included by winograd_q8_pairs.h and winograd_q8_neon.h, and by the file in
// plain C++.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TRANSFORMS_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TRANSFORMS_H_

#include "mace/cpu/ukernels/winograd_q8/winograd_q8.h"

namespace mace::cpu {
namespace {

// Quantized has as many elements as Halves, to which it is converted. The sums
// of outputs wrap around: they are added as Words, where that is defined, and
// shifted as Ints, where the sign is kept.
template <size_t kBytes>
struct VectorsOf {
  typedef int8_t Quantized __attribute__((vector_size(kBytes / 2)));
  typedef int16_t Halves __attribute__((vector_size(kBytes)));
  typedef int32_t Ints __attribute__((vector_size(kBytes)));
  typedef uint32_t Words __attribute__((vector_size(kBytes)));
};

// Loads from any address.
template <typename To>
inline To LoadVector(const void* from) {
  To to;
  __builtin_memcpy(&to, from, sizeof(to));
  return to;
}

// One dimension of the input's transform, v = B d, with the rows of B
//
//    4   0  -5   0   1   0
//    0  -4  -4   1   1   0
//    0   4  -4  -1   1   0
//    0  -2  -1   2   1   0
//    0   2  -1  -2   1   0
//    0   4   0  -5   0   1
//
// (Lavin and Gray, section 4.3). Sums that rows share are computed once.
template <typename V>
inline void TransformInput(const V d[6], V v[6]) {
  const V a = d[4] - d[2] * 4, b = d[3] - d[1] * 4;
  const V c = d[4] - d[2], e = d[3] - d[1];
  v[0] = (d[0] - d[2]) * 4 + c;
  v[1] = a + b;
  v[2] = a - b;
  v[3] = c + e * 2;
  v[4] = c - e * 2;
  v[5] = d[5] - d[3] - e * 4;
}

// One dimension of the output's transform, y = A m: 3 * 2^s_i times output i,
// with s = (3, 2, 1, 1). The fractions of Lavin and Gray's G, (1/4, -1/6, -1/6,
// 1/24, 1/24, 1), are in A here, whose row i is multiplied by 3 * 2^s_i to have
// integers:
//
//    6  -4  -4   1   1   0
//    0  -2   2   1  -1   0
//    0  -1  -1   1   1   0
//    0  -1   1   2  -2   6
template <typename V>
inline void TransformOutput(const V m[6], V y[4]) {
  const V sum12 = m[1] + m[2], difference12 = m[1] - m[2];
  const V sum34 = m[3] + m[4], difference34 = m[3] - m[4];
  y[0] = (m[0] - sum12) * 4 + m[0] * 2 + sum34;
  y[1] = difference34 - difference12 * 2;
  y[2] = sum34 - sum12;
  y[3] = (difference34 + m[5] * 2 + m[5]) * 2 - difference12;
}

// Transforms a vector of channels, those of `pixels` from `at` on, and writes
// element i to to + i * t.element. Reads all kBytes / 2 values of each pixel: a
// vector of bytes is half as long as one of int16. t.pixels is not read.
template <size_t kBytes>
void TransformChannels(const WinogradQ8Input& t, const uint8_t* const* pixels,
                       size_t at, int16_t* to) {
  using Quantized = typename VectorsOf<kBytes>::Quantized;
  using Halves = typename VectorsOf<kBytes>::Halves;
  const Quantized flip = Quantized{} + static_cast<int8_t>(t.flip);
  Halves lines[kWinogradQ8In][kWinogradQ8In];
  for (size_t j = 0; j < kWinogradQ8In; ++j) {
    Halves d[kWinogradQ8In], v[kWinogradQ8In];
    for (size_t i = 0; i < kWinogradQ8In; ++i) {
      const auto quantized =
          LoadVector<Quantized>(pixels[i * kWinogradQ8In + j] + at);
      d[i] = __builtin_convertvector(quantized ^ flip, Halves);
    }
    // First the columns, then the lines of the transformed columns.
    TransformInput(d, v);
    for (size_t i = 0; i < kWinogradQ8In; ++i) lines[i][j] = v[i];
  }
  for (size_t i = 0; i < kWinogradQ8In; ++i) {
    Halves v[kWinogradQ8In];
    TransformInput(lines[i], v);
    for (size_t j = 0; j < kWinogradQ8In; ++j, to += t.element) {
      __builtin_memcpy(to, &v[j], sizeof(Halves));
    }
  }
}

// A WinogradQ8InputFn for `lanes` = kBytes / 2. The channels of the last group
// are copied first, so that nothing is read beyond them.
template <size_t kBytes>
void TransformTileInput(const WinogradQ8Input& t) {
  constexpr size_t kLanes = kBytes / sizeof(int16_t);
  int16_t* to = t.v;
  size_t c = 0;
  for (; t.channels - c >= kLanes; c += kLanes, to += t.group) {
    TransformChannels<kBytes>(t, t.pixels, c, to);
  }
  if (c == t.channels) return;
  uint8_t last[kWinogradQ8Area][kLanes] = {};
  const uint8_t* pixels[kWinogradQ8Area];
  for (size_t i = 0; i < kWinogradQ8Area; ++i) {
    __builtin_memcpy(last[i], t.pixels[i] + c, t.channels - c);
    pixels[i] = last[i];
  }
  TransformChannels<kBytes>(t, pixels, 0, to);
}

// A WinogradQ8OutputFn for nr = kColumns, a vector of columns of one tile at a
// time. REQUIRES: kColumns is a multiple of kBytes / 4.
template <size_t kBytes, size_t kColumns>
void TransformTileOutputs(const WinogradQ8Output& t) {
  using Words = typename VectorsOf<kBytes>::Words;
  using Ints = typename VectorsOf<kBytes>::Ints;
  constexpr size_t kLanes = kBytes / sizeof(int32_t);
  constexpr uint32_t kInverseOf9 = 954437177;  // 9 times it is 1 modulo 2^32
  constexpr int kShifts[kWinogradQ8Out] = {3, 2, 1, 1};
  // Between lines of t.sums.
  const size_t line = kWinogradQ8Out * t.tiles * kColumns;
  for (size_t tile = 0; tile < t.tiles; ++tile) {
    for (size_t at = 0; at < kColumns; at += kLanes) {
      const int32_t* from = t.m + tile * kColumns + at;
      Words columns[kWinogradQ8Out][kWinogradQ8In];
      for (size_t j = 0; j < kWinogradQ8In; ++j) {
        Words m[kWinogradQ8In], y[kWinogradQ8Out];
        for (size_t i = 0; i < kWinogradQ8In; ++i) {
          m[i] = LoadVector<Words>(from + (i * kWinogradQ8In + j) * t.element);
        }
        TransformOutput(m, y);
        for (size_t i = 0; i < kWinogradQ8Out; ++i) columns[i][j] = y[i];
      }
      const Words start = LoadVector<Words>(t.start + at);
      int32_t* to = t.sums + tile * kWinogradQ8Out * kColumns + at;
      for (size_t i = 0; i < kWinogradQ8Out; ++i, to += line) {
        Words y[kWinogradQ8Out];
        TransformOutput(columns[i], y);
        for (size_t j = 0; j < kWinogradQ8Out; ++j) {
          // y is 9 * 2^(s_i + s_j) times the sum, modulo 2^32. Both steps are
          // exact: the multiplication cancels 9, and the arithmetic shift
          // cancels the power of 2, whose bits are 0.
          const auto scaled = reinterpret_cast<Ints>(y[j] * kInverseOf9);
          const Words sums =
              reinterpret_cast<Words>(scaled >> (kShifts[i] + kShifts[j])) +
              start;
          __builtin_memcpy(to + j * kColumns, &sums, sizeof(sums));
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TRANSFORMS_H_
