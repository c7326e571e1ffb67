// The 8-bit pooling micro-kernels of all instruction sets, in the compiler's
// own vectors.
// SPDX-License-Identifier: Apache-2.0
//
// They are compiled for plain C++, AVX2 and NEON, by
// simd__{scalar,avx2,neon}.cc; where a CPU has no vectors of a size, the
// compiler takes several smaller ones. Sums stay in registers for a whole
// window: kVectors vectors of them.
//
//   channels  |   4 vectors   |   4 vectors   | 2 vectors | 1 | 1/2 | 1/4 |
//                                             the rest in halves, down to 8;
//                                             then the last 8 once more, or,
//                                             of fewer than 8, one by one
//
// Dividing x, the magnitude of a sum plus n / 2, by the number n of pixels
// takes a multiplication and a shift (Granlund and Montgomery, Division by
// Invariant Integers using Multiplication, PLDI 1994). Let 2^s < n <= 2^(s+1)
// and M = ceil(2^(16+s) / n). Then
//
//   floor(x / n) = floor(x M / 2^(16+s))
//
// because M exceeds 2^(16+s) / n by less than 1, and x is less than 256 n,
// so that the second quotient is larger than the first by less than 256 n /
// 2^(16+s) <= 512 / 2^16 <= 1 / n. With one pixel, the sum is taken twice and
// divided by 2, as M would have 17 bits.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_Q8_WINDOWS_H_
#define MACE_CPU_UKERNELS_POOL_POOL_Q8_WINDOWS_H_

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "mace/cpu/ukernels/pool/pool_q8.h"

namespace mace::cpu {
namespace {

#if defined(__AVX2__)
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif
constexpr size_t kNarrowest = 8;  // channels of the shortest vector

// A vector of kLanes elements of type T: an extension of GCC and Clang, with
// the operators of the language. Functions take vectors by pointer or
// reference, since how they are passed by value depends on the instruction set.
template <typename T, size_t kLanes>
struct Vector {
  typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));
};

// An operation is a struct with
//
//   Value, Sum   the type of values, and that in which they are accumulated
//   kWidest      the number of sums of the longest vector
//   first        the sum without values
//   Add          adds a vector of values to one of sums
//   Finish       makes results of sums, clamped, in place
//
// A maximum begins with the lower bound, and so is clamped to it already.
template <typename T>
struct MaxOfQ8 {
  using Value = T;
  using Sum = T;
  static constexpr size_t kWidest = kVectorBytes;

  explicit MaxOfQ8(const PoolQ8Windows& t)
      : first(static_cast<T>(t.lower)), upper(static_cast<T>(t.upper)) {}
  template <typename V>
  static void Add(const V& x, V* sum) {
    *sum = *sum > x ? *sum : x;
  }
  template <typename V>
  void Finish(V* sum) const {
    const V most = upper - V{};
    *sum = *sum < most ? *sum : most;
  }

  T first, upper;
};

// The mean. Sums are int16, which hold the sum of kAvgpoolQ8MaxPixels values of
// either type. REQUIRES: there is a pixel.
template <typename T>
struct MeanOfQ8 {
  using Value = T;
  using Sum = int16_t;
  static constexpr size_t kWidest = kVectorBytes / 2;

  explicit MeanOfQ8(const PoolQ8Windows& t)
      : twice(t.rows * t.columns == 1),
        lower(static_cast<Sum>(t.lower)),
        upper(static_cast<Sum>(t.upper)) {
    // s is floor(log2(n - 1)).
    const auto n = static_cast<uint32_t>(twice ? 2 : t.rows * t.columns);
    half = static_cast<uint16_t>(n / 2);
    shift = 31 - __builtin_clz(n - 1);
    factor = static_cast<uint16_t>(((65536u << shift) + n - 1) / n);
  }
  template <typename X, typename V>
  static void Add(const X& x, V* sum) {
    *sum += __builtin_convertvector(x, V);
  }
  // Rounds the quotient. Sums of int8_t are negative, too: of these, the
  // magnitude is divided and gets its sign back, so that ties go away from
  // zero. (x ^ sign) - sign is -x if sign is -1, and x if it is 0.
  template <typename V>
  void Finish(V* sum) const {
    using Unsigned = typename Vector<uint16_t, sizeof(V) / 2>::Type;
    if (twice) *sum += *sum;
    V sign = {};
    if (static_cast<T>(-1) < 0) sign = *sum >> 15;
    Unsigned x = (Unsigned)((*sum ^ sign) - sign) + half;
    MultiplyHigh(&x);
    x >>= shift;
    *sum = ((V)x ^ sign) - sign;
    const V least = lower - V{}, most = upper - V{};
    *sum = *sum > least ? *sum : least;
    *sum = *sum < most ? *sum : most;
  }
  // The high halves of products with `factor`, in place: one instruction of
  // x86, for vectors of its sizes.
  template <typename Unsigned>
  void MultiplyHigh(Unsigned* x) const {
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
      return;
    }
#endif
    using Wide = typename Vector<uint32_t, sizeof(Unsigned) / 2>::Type;
    *x = __builtin_convertvector(
        (__builtin_convertvector(*x, Wide) * factor) >> 16, Unsigned);
  }

  static constexpr Sum first = 0;
  bool twice;
  Sum lower, upper;
  uint16_t half, factor;  // what is added before dividing, and M
  int shift;
};

// Computes kVectors * kLanes channels from c on, whose sums stay in registers:
// each pixel of the window is read once. Loads and stores need no alignment.
template <typename Op, size_t kLanes, size_t kVectors>
inline void PoolVectors(const PoolQ8Windows& t, const Op& op, size_t c) {
  using Values = typename Vector<typename Op::Value, kLanes>::Type;
  using Sums = typename Vector<typename Op::Sum, kLanes>::Type;
  Sums sums[kVectors];
#pragma GCC unroll 4
  for (Sums& sum : sums) sum = op.first - Sums{};
  const uint8_t* row = t.x + c;
  for (size_t r = 0; r < t.rows; ++r, row += t.row_stride) {
    const uint8_t* pixel = row;
    for (size_t k = 0; k < t.columns; ++k, pixel += t.column_stride) {
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        Values x;
        __builtin_memcpy(&x, pixel + v * kLanes, kLanes);
        op.Add(x, &sums[v]);
      }
    }
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) {
    op.Finish(&sums[v]);
    const auto y = __builtin_convertvector(sums[v], Values);
    __builtin_memcpy(t.y + c + v * kLanes, &y, kLanes);
  }
}

// Computes the channels from c on, of which there are fewer than 2 * kLanes.
// The last vector may compute some earlier channels again: it reads x only, so
// that their results are the same.
template <typename Op, size_t kLanes>
inline void PoolLast(const PoolQ8Windows& t, const Op& op, size_t c) {
  if (t.channels - c >= kLanes) {
    PoolVectors<Op, kLanes, 1>(t, op, c);
    c += kLanes;
  }
  if (c == t.channels) return;
  if constexpr (kLanes > kNarrowest) {
    PoolLast<Op, kLanes / 2>(t, op, c);
  } else if (t.channels >= kLanes) {
    PoolVectors<Op, kLanes, 1>(t, op, t.channels - kLanes);
  } else {
    for (; c < t.channels; ++c) PoolVectors<Op, 1, 1>(t, op, c);
  }
}

// Computes all windows, one after the other.
template <typename Op>
inline void Pool(const PoolQ8Windows& windows) {
  constexpr size_t kWidest = Op::kWidest;
  const Op op(windows);
  PoolQ8Windows t = windows;
  for (size_t i = 0; i < windows.outputs; ++i) {
    size_t c = 0;
    for (; t.channels - c >= 4 * kWidest; c += 4 * kWidest) {
      PoolVectors<Op, kWidest, 4>(t, op, c);
    }
    if (t.channels - c >= 2 * kWidest) {
      PoolVectors<Op, kWidest, 2>(t, op, c);
      c += 2 * kWidest;
    }
    PoolLast<Op, kWidest>(t, op, c);
    t.x += t.x_step;
    t.y += t.y_step;
  }
}

inline void MaxOfWindows(const PoolQ8Windows& t) {
  t.is_signed ? Pool<MaxOfQ8<int8_t>>(t) : Pool<MaxOfQ8<uint8_t>>(t);
}
inline void MeansOfWindows(const PoolQ8Windows& t) {
  t.is_signed ? Pool<MeanOfQ8<int8_t>>(t) : Pool<MeanOfQ8<uint8_t>>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_Q8_WINDOWS_H_
