// The bodies of the pooling micro-kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_F32_POOL_F32_WINDOW_H_
#define MACE_CPU_UKERNELS_POOL_F32_POOL_F32_WINDOW_H_

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/pool_f32/pool_f32.h"

namespace mace::cpu {
namespace {

using simd::F32;

// Each says how a line starts, how a pixel joins it, how the lines join, and
// what becomes of the result. Sums go by lines, so that a large window loses
// little precision.
struct MaxOf {
  static F32 Start(F32 first) { return first; }
  static F32 Add(F32 sum, F32 x) {
    if constexpr (simd::kMaxKeepsNan) return simd::Max(sum, x);
    return simd::Select(simd::IsNan(sum), sum, simd::Max(sum, x));
  }
  static F32 Join(F32 a, F32 b) { return Add(a, b); }
  static F32 Finish(F32 sum, F32) { return sum; }
};

struct MeanOf {
  static F32 Start(F32 first) { return first; }
  static F32 Add(F32 sum, F32 x) { return sum + x; }
  static F32 Join(F32 a, F32 b) { return a + b; }
  static F32 Finish(F32 sum, F32 scale) { return sum * scale; }
};

struct RootMeanSquareOf {
  static F32 Start(F32 first) { return first * first; }
  static F32 Add(F32 sum, F32 x) { return simd::MulAdd(x, x, sum); }
  static F32 Join(F32 a, F32 b) { return a + b; }
  static F32 Finish(F32 sum, F32 scale) { return simd::Sqrt(sum * scale); }
};

template <typename Op, typename Load>
inline F32 PoolLine(const PoolF32Window& w, const float* x, const Load& load) {
  F32 sum = Op::Start(load(x));
  for (size_t i = 1; i < w.columns; ++i) {
    x += w.column_stride;
    sum = Op::Add(sum, load(x));
  }
  return sum;
}

template <typename Op, typename Load>
inline F32 PoolWindow(const PoolF32Window& w, const float* x,
                      const Load& load) {
  F32 sum = PoolLine<Op>(w, x, load);
  for (size_t i = 1; i < w.rows; ++i) {
    x += w.row_stride;
    sum = Op::Join(sum, PoolLine<Op>(w, x, load));
  }
  return simd::Clamp(Op::Finish(sum, simd::Set1(w.scale)), simd::Set1(w.lower),
                     simd::Set1(w.upper));
}

// Windows of 3x3, the most common: the addresses of the pixels stay in
// registers, and a column that two outputs share is pooled once. Returns how
// many channels were pooled.
template <typename Op, int kOutputs>
inline size_t PoolNine(const PoolF32Window& w) {
  using simd::kLanes;
  constexpr int kColumns = 2 * kOutputs + 1;
  const float* x[3][kColumns];
#pragma GCC unroll 3
  for (int r = 0; r < 3; ++r) {
#pragma GCC unroll 5
    for (int i = 0; i < kColumns; ++i) {
      x[r][i] = w.x + r * w.row_stride + i * w.column_stride;
    }
  }
  const F32 scale = simd::Set1(w.scale);
  const F32 lower = simd::Set1(w.lower), upper = simd::Set1(w.upper);
  float* const y[2] = {w.y, w.y + w.y_step};
  const size_t channels = w.channels / kLanes * kLanes;
  for (size_t c = 0; c < channels; c += kLanes) {
    F32 column[kColumns];
#pragma GCC unroll 5
    for (int i = 0; i < kColumns; ++i) {
      column[i] = Op::Start(simd::Load(x[0][i] + c));
      column[i] = Op::Add(column[i], simd::Load(x[1][i] + c));
      column[i] = Op::Add(column[i], simd::Load(x[2][i] + c));
    }
#pragma GCC unroll 2
    for (int o = 0; o < kOutputs; ++o) {
      const F32* of = column + 2 * o;
      const F32 all = Op::Join(Op::Join(of[0], of[1]), of[2]);
      simd::Store(y[o] + c, simd::Clamp(Op::Finish(all, scale), lower, upper));
    }
  }
  return channels;
}

template <typename Op>
void Pool(const PoolF32Window& w) {
  using simd::kLanes;
  size_t pooled = 0;
  if (w.rows == 3 && w.columns == 3) {
    pooled = w.outputs == 2 ? PoolNine<Op, 2>(w) : PoolNine<Op, 1>(w);
  }
  for (size_t o = 0; o < w.outputs; ++o) {
    const float* x = w.x + 2 * static_cast<ptrdiff_t>(o) * w.column_stride;
    float* y = w.y + static_cast<ptrdiff_t>(o) * w.y_step;
    size_t c = pooled;
    for (; c + kLanes <= w.channels; c += kLanes) {
      simd::Store(y + c, PoolWindow<Op>(w, x + c, simd::Load));
    }
    const size_t n = w.channels - c;
    if (n == 0) continue;
    const auto load = [n](const float* p) { return simd::LoadN(p, n); };
    simd::StoreN(y + c, PoolWindow<Op>(w, x + c, load), n);
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_F32_POOL_F32_WINDOW_H_
