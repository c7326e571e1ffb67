// The implementation of the pooling micro-kernels for whole lines.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_

#include "mace/cpu/ukernels/pool/pool_f32_window.h"

namespace mace::cpu {
namespace {

// Calls step(i, load, store) for each vector of n floats; the last may be
// partial.
template <typename Step>
void ForEachPoolVector(size_t n, const Step& step) {
  using simd::F32;
  size_t i = 0;
  for (; i + simd::kLanes <= n; i += simd::kLanes) {
    step(
        i, [](const float* p) { return simd::Load(p); },
        [](float* p, F32 v) { simd::Store(p, v); });
  }
  const size_t left = n - i;
  if (left == 0) return;
  step(
      i, [left](const float* p) { return simd::LoadN(p, left); },
      [left](float* p, F32 v) { simd::StoreN(p, v, left); });
}

template <typename Op>
void PoolLine(const PoolF32Line& line) {
  using simd::F32;
  for (size_t i = 0; i < line.left; ++i) line.columns[i] = Op::kNothing;
  float* const middle = line.columns + line.left;
  ForEachPoolVector(line.in,
                    [&](size_t i, const auto& load, const auto& store) {
                      const float* x = line.x + i;
                      F32 sum = Op::Start(load(x));
                      for (size_t r = 1; r < line.rows; ++r) {
                        x += line.row_stride;
                        sum = Op::Add(sum, load(x));
                      }
                      store(middle + i, sum);
                    });
  for (size_t i = 0; i < line.right; ++i) {
    middle[line.in + i] = Op::kNothing;
  }
  ForEachPoolVector(line.out,
                    [&](size_t i, const auto& load, const auto& store) {
                      const float* x = line.columns + i;
                      F32 sum = load(x);
                      for (size_t t = 1; t < line.taps; ++t) {
                        x += line.tap_step;
                        sum = Op::Join(sum, load(x));
                      }
                      store(line.y + i, sum);
                    });
}

template <typename Op, bool kScaled>
void FinishPool(const PoolF32Finish& args) {
  using simd::F32;
  const F32 lower = simd::Set1(args.lower), upper = simd::Set1(args.upper);
  ForEachPoolVector(args.n, [&](size_t i, const auto& load, const auto& store) {
    F32 y = load(args.y + i);
    if constexpr (kScaled) y = Op::Finish(y, load(args.scale + i));
    store(args.y + i, simd::Clamp(y, lower, upper));
  });
}

struct LineMax : PoolMaxOf<Plain<float>> {
  static constexpr float kNothing = -__builtin_inff();
};
struct LineMean : PoolMeanOf<Plain<float>> {
  static constexpr float kNothing = 0;
};
struct LineL2 : RootMeanSquareOf<Plain<float>> {
  static constexpr float kNothing = 0;
};

constexpr PoolF32LineSet kLineFunctions = {
    PoolLine<LineMax>,          PoolLine<LineMean>,
    PoolLine<LineL2>,           FinishPool<LineMax, false>,
    FinishPool<LineMean, true>, FinishPool<LineL2, true>};
void PoolL2(const PoolF32Window& window) {
  Pool<RootMeanSquareOf<Plain<float>>>(window);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_
