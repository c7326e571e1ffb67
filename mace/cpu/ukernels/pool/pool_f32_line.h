// The implementation of the pooling micro-kernels for whole lines.
// SPDX-License-Identifier: Apache-2.0
//
// Pixels and channels are one sequence of floats here, and all loops run over
// whole vectors of it, the last of which is masked.
//
// simd__{scalar,avx2,avx512,neon}.cc include this file, which includes the one
// for windows, and define the f32 functions of pool_f32.h by it.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_

#include "mace/cpu/ukernels/pool/pool_f32_window.h"

namespace mace::cpu {
namespace {

// Calls step(i, load, store) for each vector of n floats, which begins at float
// i; the last may be partial. Whole vectors and the last one are different
// types, so that `step` is compiled twice and tests no lengths.
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

// Computes a line. Op is LineMax, LineMean or LineL2 (below): Start and Add
// pool pixels, Join pools results, and kNothing changes no result with which it
// is joined.
template <typename Op>
void PoolLine(const PoolF32Line& line) {
  using simd::F32;
  for (size_t i = 0; i < line.left; ++i) line.columns[i] = Op::kNothing;
  float* const middle = line.columns + line.left;
  // First pass: down the lines of the windows. Each vector of x is read once.
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
  // Second pass: along the line. Vectors overlap, so they are loaded again for
  // each tap.
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

// Makes results of sums, in place, and clamps them. kScaled: Op::Finish takes
// the scale; otherwise, Op::Finish is not called and the scale is not read.
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

// The operations, with kNothing, the result of no pixel. Before it is finished,
// the result of a window without a column of x is kNothing.
struct LineMax : PoolMaxOf<Plain<float>> {
  static constexpr float kNothing = -__builtin_inff();
};
struct LineMean : PoolMeanOf<Plain<float>> {
  static constexpr float kNothing = 0;
};
struct LineL2 : RootMeanSquareOf<Plain<float>> {
  static constexpr float kNothing = 0;
};

// In the order of PoolF32LineSet.
constexpr PoolF32LineSet kLineFunctions = {
    PoolLine<LineMax>,          PoolLine<LineMean>,
    PoolLine<LineL2>,           FinishPool<LineMax, false>,
    FinishPool<LineMean, true>, FinishPool<LineL2, true>};
// The function behind pool_l2_f32__{isa}, which pools windows, not lines.
void PoolL2(const PoolF32Window& window) {
  Pool<RootMeanSquareOf<Plain<float>>>(window);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F32_LINE_H_
