// The implementation of the pooling micro-kernels for windows.
// SPDX-License-Identifier: Apache-2.0
//
// A micro-kernel is Pool<Op>. Op has two parts, as a base class and what is
// derived from it:
//
//   Elements  Plain<T> or Widened: T, the type in memory; V, the type that is
//             accumulated; kLanes; Load, LoadN, Store, StoreN, Set1
//   Op        PoolMaxOf, PoolMeanOf or RootMeanSquareOf: Start, Add, Join and
//             Finish
//
// For fp16, pool_f16_window.h is included, and includes this file.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F32_WINDOW_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F32_WINDOW_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/pool/pool_f32.h"

namespace mace::cpu {
namespace {

// The larger of a and b, or NaN if one is NaN. Where Max(a, b) is b if
// either is NaN, only a needs a test.
inline simd::F32 LargerOrNan(simd::F32 a, simd::F32 b) {
  if constexpr (simd::kMaxKeepsNan) return simd::Max(a, b);
  return simd::Select(simd::IsNan(a), a, simd::Max(a, b));
}

// Elements that are accumulated in their own type.
template <typename Element>
struct Plain {
  using T = Element;
  using V = typename simd::VectorOf<T>::Type;
  static constexpr size_t kLanes = simd::VectorOf<T>::kLanes;
  static V Load(const T* p) { return simd::Load(p); }
  static V LoadN(const T* p, size_t n) { return simd::LoadN(p, n); }
  static void Store(T* p, V v) { simd::Store(p, v); }
  static void StoreN(T* p, V v, size_t n) { simd::StoreN(p, v, n); }
  static V Set1(float x) { return simd::VectorOf<T>::Set1(x); }
};

// The operations. Lines of a window are accumulated separately and then joined,
// so that a large window loses little precision.
//
//   Start(first)         the result for a line of one pixel
//   Add(sum, x)          with another pixel
//   Join(a, b)           of two lines
//   Finish(sum, scale)   the output, before it is clamped
template <typename Elements>
struct PoolMaxOf : Elements {
  using V = typename Elements::V;
  static V Start(V first) { return first; }
  static V Add(V sum, V x) { return LargerOrNan(sum, x); }
  static V Join(V a, V b) { return Add(a, b); }
  static V Finish(V sum, V) { return sum; }
};

// The sum of elements, times the scale.
template <typename Elements>
struct PoolMeanOf : Elements {
  using V = typename Elements::V;
  static V Start(V first) { return first; }
  static V Add(V sum, V x) { return sum + x; }
  static V Join(V a, V b) { return a + b; }
  static V Finish(V sum, V scale) { return sum * scale; }
};

// The root of (the sum of squares, times the scale): L2 pooling.
template <typename Elements>
struct RootMeanSquareOf : Elements {
  using V = typename Elements::V;
  static V Start(V first) { return first * first; }
  static V Add(V sum, V x) { return simd::MulAdd(x, x, sum); }
  static V Join(V a, V b) { return a + b; }
  static V Finish(V sum, V scale) { return simd::Sqrt(sum * scale); }
};

// Pools a line of a window, the first pixel of which is at x: one vector of
// channels, which `load` reads, whole or in part.
template <typename Op, typename T, typename Load>
inline typename Op::V PoolPixels(const PoolWindow<T>& w, const T* x,
                                 const Load& load) {
  auto sum = Op::Start(load(x));
  for (size_t i = 1; i < w.columns; ++i) {
    x += w.column_stride;
    sum = Op::Add(sum, load(x));
  }
  return sum;
}

// Pools all lines of a window, and returns its clamped output.
template <typename Op, typename T, typename Load>
inline typename Op::V PoolLines(const PoolWindow<T>& w, const T* x,
                                const Load& load) {
  auto sum = PoolPixels<Op>(w, x, load);
  for (size_t i = 1; i < w.rows; ++i) {
    x += w.row_stride;
    sum = Op::Join(sum, PoolPixels<Op>(w, x, load));
  }
  return simd::Clamp(Op::Finish(sum, Op::Set1(w.scale)), Op::Set1(w.lower),
                     Op::Set1(w.upper));
}

// For windows of 3x3, the most common ones. The addresses of the pixels stay in
// registers, as far as there are enough, and a column that two outputs share is
// pooled once. Returns the number of channels pooled: those of whole vectors.
//
//   columns   0 1 2 3 4      each is pooled over its three lines, then
//   output 0  |---|          columns 0, 1 and 2 are joined
//   output 1      |---|      columns 2, 3 and 4
//
// REQUIRES: w.rows and w.columns are 3.
template <typename Op, int kOutputs, typename T>
inline size_t PoolNine(const PoolWindow<T>& w) {
  using V = typename Op::V;
  constexpr int kColumns = 2 * kOutputs + 1;
  const T* x[3][kColumns];
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) {
#pragma GCC unroll 5
    for (int i = 0; i < kColumns; ++i) {
      x[r][i] = w.x + r * w.row_stride + i * w.column_stride;
    }
  }
  const V scale = Op::Set1(w.scale);
  const V lower = Op::Set1(w.lower), upper = Op::Set1(w.upper);
  T* const y[2] = {w.y, w.y + w.y_step};
  const size_t channels = w.channels / Op::kLanes * Op::kLanes;
  for (size_t c = 0; c < channels; c += Op::kLanes) {
    V column[kColumns];
#pragma GCC unroll 5
    for (int i = 0; i < kColumns; ++i) {
      column[i] = Op::Start(Op::Load(x[0][i] + c));
      column[i] = Op::Add(column[i], Op::Load(x[1][i] + c));
      column[i] = Op::Add(column[i], Op::Load(x[2][i] + c));
    }
#pragma GCC unroll 2
    for (int o = 0; o < kOutputs; ++o) {
      const V* of = column + 2 * o;
      const V all = Op::Join(Op::Join(of[0], of[1]), of[2]);
      Op::Store(y[o] + c, simd::Clamp(Op::Finish(all, scale), lower, upper));
    }
  }
  return channels;
}

// Pools one window, or two that are two columns apart. Whole vectors of
// channels come first; the last vector may be partial.
template <typename Op, typename T>
void Pool(const PoolWindow<T>& w) {
  size_t pooled = 0;
  // Vectors of a single fp16 value are slow anyway: they have no PoolNine.
  if constexpr (Op::kLanes * sizeof(T) >= sizeof(float)) {
    if (w.rows == 3 && w.columns == 3) {
      pooled = w.outputs == 2 ? PoolNine<Op, 2>(w) : PoolNine<Op, 1>(w);
    }
  }
  for (size_t o = 0; o < w.outputs; ++o) {
    const T* x = w.x + 2 * static_cast<ptrdiff_t>(o) * w.column_stride;
    T* y = w.y + static_cast<ptrdiff_t>(o) * w.y_step;
    size_t c = pooled;
    for (; c + Op::kLanes <= w.channels; c += Op::kLanes) {
      Op::Store(y + c, PoolLines<Op>(w, x + c, Op::Load));
    }
    const size_t n = w.channels - c;
    if (n == 0) continue;
    const auto load = [n](const T* p) { return Op::LoadN(p, n); };
    Op::StoreN(y + c, PoolLines<Op>(w, x + c, load), n);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F32_WINDOW_H_
