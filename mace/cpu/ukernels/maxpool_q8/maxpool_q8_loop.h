// The loops of all instruction sets, in vectors of the compiler's.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_LOOP_H_

#include "mace/cpu/ukernels/maxpool_q8/maxpool_q8.h"

namespace mace::cpu {
namespace {

#if defined(__AVX2__)
constexpr size_t kWidest = 32;
#else
constexpr size_t kWidest = 16;
#endif
constexpr size_t kNarrowest = 8;

// kVectors * kInt8Lanes channels from c on, which stay in registers.
template <typename T, size_t kInt8Lanes, size_t kVectors>
inline void MaximaOfVectors(const MaxpoolQ8Args& t, size_t c) {
  typedef T Codes __attribute__((vector_size(kInt8Lanes)));
  Codes found[kVectors];
#pragma GCC unroll 4
  for (Codes& codes : found) codes = static_cast<T>(t.least) - Codes{};
  const uint8_t* row = t.x + c;
  for (size_t r = 0; r < t.rows; ++r, row += t.row_stride) {
    const uint8_t* pixel = row;
    for (size_t k = 0; k < t.columns; ++k, pixel += t.column_stride) {
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        Codes x;
        __builtin_memcpy(&x, pixel + v * kInt8Lanes, kInt8Lanes);
        found[v] = found[v] > x ? found[v] : x;
      }
    }
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) {
    const Codes most = static_cast<T>(t.most) - Codes{};
    const Codes y = found[v] < most ? found[v] : most;
    __builtin_memcpy(t.y + c + v * kInt8Lanes, &y, kInt8Lanes);
  }
}

template <typename T>
inline void MaximumOf(const MaxpoolQ8Args& t, size_t c) {
  int32_t found = t.least;
  const uint8_t* row = t.x + c;
  for (size_t r = 0; r < t.rows; ++r, row += t.row_stride) {
    const uint8_t* pixel = row;
    for (size_t k = 0; k < t.columns; ++k, pixel += t.column_stride) {
      const int32_t code = static_cast<T>(*pixel);
      found = found > code ? found : code;
    }
  }
  t.y[c] = static_cast<uint8_t>(found < t.most ? found : t.most);
}

// The channels from c on, of which there are fewer than 2 * kInt8Lanes. The
// last vector computes some of those before again.
template <typename T, size_t kInt8Lanes>
inline void LastMaxima(const MaxpoolQ8Args& t, size_t c) {
  if (t.channels - c >= kInt8Lanes) {
    MaximaOfVectors<T, kInt8Lanes, 1>(t, c);
    c += kInt8Lanes;
  }
  if (c == t.channels) return;
  if constexpr (kInt8Lanes > kNarrowest) {
    LastMaxima<T, kInt8Lanes / 2>(t, c);
  } else if (t.channels >= kInt8Lanes) {
    MaximaOfVectors<T, kInt8Lanes, 1>(t, t.channels - kInt8Lanes);
  } else {
    for (; c < t.channels; ++c) MaximumOf<T>(t, c);
  }
}

template <typename T>
inline void MaximaOfWindow(const MaxpoolQ8Args& t) {
  size_t c = 0;
  for (; t.channels - c >= 4 * kWidest; c += 4 * kWidest) {
    MaximaOfVectors<T, kWidest, 4>(t, c);
  }
  if (t.channels - c >= 2 * kWidest) {
    MaximaOfVectors<T, kWidest, 2>(t, c);
    c += 2 * kWidest;
  }
  LastMaxima<T, kWidest>(t, c);
}

template <typename T>
inline void Maxima(const MaxpoolQ8Args& args) {
  MaxpoolQ8Args t = args;
  for (size_t i = 0; i < args.outputs; ++i) {
    MaximaOfWindow<T>(t);
    t.x += t.x_step;
    t.y += t.y_step;
  }
}

inline void MaxOfWindows(const MaxpoolQ8Args& t) {
  t.is_signed ? Maxima<int8_t>(t) : Maxima<uint8_t>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAXPOOL_Q8_MAXPOOL_Q8_LOOP_H_
