// The loops of all instruction sets, in vectors of the compiler's.
// SPDX-License-Identifier: Apache-2.0
//
// Dividing x, the magnitude of a sum plus n / 2, by the number n of pixels: let
// 2^s < n <= 2^(s+1) and M = ceil(2^(16+s) / n). Then x / n, rounded down, is
// x * M / 2^(16+s), rounded down: M is less than 1 larger than 2^(16+s) / n,
// and x is less than 256 n, so the second quotient is larger than the first by
// less than 256 n / 2^(16+s) <= 512 / 2^16 <= 1 / n. With one pixel, the sum is
// taken twice and divided by 2, as M would have 17 bits.
#ifndef MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_LOOP_H_

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "mace/cpu/ukernels/avgpool_q8/avgpool_q8.h"

namespace mace::cpu {
namespace {

#if defined(__AVX2__)
constexpr size_t kWidest = 16;
#else
constexpr size_t kWidest = 8;
#endif
constexpr size_t kNarrowest = 8;

// kInt8Lanes quantized values, and as many sums of 16 bits.
template <typename T, size_t kInt8Lanes>
struct VectorsOf {
  typedef T Codes __attribute__((vector_size(kInt8Lanes)));
  typedef int16_t Sums __attribute__((vector_size(2 * kInt8Lanes)));
  typedef uint16_t Unsigned __attribute__((vector_size(2 * kInt8Lanes)));
};

struct Divisor {
  int half;  // what is added before dividing
  uint16_t factor;
  int shift;
  bool twice;

  explicit Divisor(size_t pixels) : twice(pixels == 1) {
    const uint32_t n = twice ? 2 : static_cast<uint32_t>(pixels);
    half = static_cast<int>(n / 2);
    shift = 31 - __builtin_clz(n - 1);
    factor = static_cast<uint16_t>(((65536u << shift) + n - 1) / n);
  }
};

// The high halves of products, in place.
template <typename Unsigned>
inline void MultiplyHigh(uint16_t factor, Unsigned* x) {
  static_assert(sizeof(Unsigned) == 16 || sizeof(Unsigned) == 2 * kWidest);
#if defined(__AVX2__)
  if constexpr (sizeof(Unsigned) == 32) {
    *x = (Unsigned)_mm256_mulhi_epu16(
        (__m256i)*x, _mm256_set1_epi16(static_cast<int16_t>(factor)));
    return;
  }
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(Unsigned) == 16) {
    *x = (Unsigned)_mm_mulhi_epu16(
        (__m128i)*x, _mm_set1_epi16(static_cast<int16_t>(factor)));
  }
#else
  typedef uint32_t Wide __attribute__((vector_size(2 * sizeof(Unsigned))));
  *x = __builtin_convertvector(
      (__builtin_convertvector(*x, Wide) * factor) >> 16, Unsigned);
#endif
}

// The rounded quotients, in place. Sums of int8_t are negative too.
template <typename T, typename V>
inline void Divide(const Divisor& d, typename V::Sums* sums) {
  using Unsigned = typename V::Unsigned;
  if (d.twice) *sums += *sums;
  typename V::Sums sign = {};
  if (static_cast<T>(-1) < 0) sign = *sums >> 15;
  auto x = (Unsigned)((*sums ^ sign) - sign) + static_cast<uint16_t>(d.half);
  MultiplyHigh(d.factor, &x);
  x >>= d.shift;
  *sums = ((typename V::Sums)x ^ sign) - sign;
}

// kVectors * kInt8Lanes channels from c on, which stay in registers.
template <typename T, size_t kInt8Lanes, size_t kVectors>
inline void MeansOfVectors(const AvgpoolQ8Args& t, const Divisor& d, size_t c) {
  using V = VectorsOf<T, kInt8Lanes>;
  typename V::Sums sums[kVectors] = {};
  const uint8_t* row = t.x + c;
  for (size_t r = 0; r < t.rows; ++r, row += t.row_stride) {
    const uint8_t* pixel = row;
    for (size_t k = 0; k < t.columns; ++k, pixel += t.column_stride) {
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        typename V::Codes x;
        __builtin_memcpy(&x, pixel + v * kInt8Lanes, kInt8Lanes);
        sums[v] += __builtin_convertvector(x, typename V::Sums);
      }
    }
  }
  using Sums = typename V::Sums;
  const Sums least = static_cast<int16_t>(t.least) - Sums{};
  const Sums most = static_cast<int16_t>(t.most) - Sums{};
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) {
    Divide<T, V>(d, &sums[v]);
    sums[v] = sums[v] > least ? sums[v] : least;
    sums[v] = sums[v] < most ? sums[v] : most;
    const auto y = __builtin_convertvector(sums[v], typename V::Codes);
    __builtin_memcpy(t.y + c + v * kInt8Lanes, &y, kInt8Lanes);
  }
}

template <typename T>
inline void MeanOf(const AvgpoolQ8Args& t, size_t c) {
  const auto n = static_cast<int32_t>(t.rows * t.columns);
  int32_t sum = 0;
  const uint8_t* row = t.x + c;
  for (size_t r = 0; r < t.rows; ++r, row += t.row_stride) {
    const uint8_t* pixel = row;
    for (size_t k = 0; k < t.columns; ++k, pixel += t.column_stride) {
      sum += static_cast<T>(*pixel);
    }
  }
  int32_t mean = (sum > 0 ? sum + n / 2 : sum - n / 2) / n;
  mean = mean > t.least ? mean : t.least;
  t.y[c] = static_cast<uint8_t>(mean < t.most ? mean : t.most);
}

// The last vector begins where it ends with the channels, so that it may
// compute some of them again.
template <typename T>
inline void MeansOfWindow(const AvgpoolQ8Args& t, const Divisor& d) {
  size_t c = 0;
  for (; t.channels - c >= 4 * kWidest; c += 4 * kWidest) {
    MeansOfVectors<T, kWidest, 4>(t, d, c);
  }
  for (; t.channels - c >= kWidest; c += kWidest) {
    MeansOfVectors<T, kWidest, 1>(t, d, c);
  }
  if (c == t.channels) return;
  if (t.channels >= kWidest) {
    MeansOfVectors<T, kWidest, 1>(t, d, t.channels - kWidest);
  } else if (t.channels >= kNarrowest) {
    MeansOfVectors<T, kNarrowest, 1>(t, d, 0);
    MeansOfVectors<T, kNarrowest, 1>(t, d, t.channels - kNarrowest);
  } else {
    for (; c < t.channels; ++c) MeanOf<T>(t, c);
  }
}

template <typename T>
inline void Means(const AvgpoolQ8Args& args) {
  const Divisor d(args.rows * args.columns);
  AvgpoolQ8Args t = args;
  for (size_t i = 0; i < args.outputs; ++i) {
    MeansOfWindow<T>(t, d);
    t.x += t.x_step;
    t.y += t.y_step;
  }
}

inline void AverageWindows(const AvgpoolQ8Args& t) {
  t.is_signed ? Means<int8_t>(t) : Means<uint8_t>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_AVGPOOL_Q8_AVGPOOL_Q8_LOOP_H_
