// The implementation of the row micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// simd__{scalar,avx2,avx512,neon}.cc include this file and define
// row_f32__{isa} and softmax_f32__{isa} as kRow and kSoftmax. row_f32.h
// describes what each function computes. Loads of a step precede its stores, so
// that y may be x.
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_LOOP_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/row/row_f32.h"
#include "mace/cpu/ukernels/row/row_f32_access.h"
#include "mace/cpu/ukernels/row/row_f32_softmax.h"

namespace mace::cpu {
namespace {

void Affine(const AffineF32Args& args) {
  const F32 lower = Set1(args.lower), upper = Set1(args.upper);
  ForEachVector(args.n, [&](size_t i, auto access) {
    const F32 y =
        simd::MulAdd(access.Load(args.x + i), access.Load(args.scale + i),
                     access.Load(args.offset + i));
    access.Store(args.y + i, simd::Clamp(y, lower, upper));
  });
}

// Both results are computed, and one is selected.
void Prelu(const PreluF32Args& args) {
  ForEachVector(args.n, [&](size_t i, auto access) {
    const F32 x = access.Load(args.x + i);
    const F32 below = x * access.Load(args.alpha + i);
    access.Store(args.y + i, simd::Select(simd::Less(x, Set1(0)), below, x));
  });
}

void Mix(const MixF32Args& args) {
  const F32 w0 = Set1(args.weight[0]), w1 = Set1(args.weight[1]);
  const F32 w2 = Set1(args.weight[2]), w3 = Set1(args.weight[3]);
  ForEachVector(args.n, [&](size_t i, auto access) {
    F32 y = access.Load(args.x[0] + i) * w0;
    y = simd::MulAdd(access.Load(args.x[1] + i), w1, y);
    y = simd::MulAdd(access.Load(args.x[2] + i), w2, y);
    y = simd::MulAdd(access.Load(args.x[3] + i), w3, y);
    access.Store(args.y + i, y);
  });
}

// The window is summed anew for each vector: a running sum would depend on the
// element before, and would lose precision.
void Lrn(const LrnF32Args& args) {
  const F32 bias = Set1(args.bias), alpha = Set1(args.alpha);
  ForEachVector(args.n, [&](size_t i, auto access) {
    F32 sum = Set1(0);
    for (size_t k = 0; k < args.window; ++k) {
      sum = sum + access.Load(args.squares + i + k);
    }
    // base^(1/2), and base^(3/4) = base^(1/2) * base^(1/4)
    const F32 root = simd::Sqrt(simd::MulAdd(alpha, sum, bias));
    const F32 power = args.three_quarters ? root * simd::Sqrt(root) : root;
    access.Store(args.y + i, access.Load(args.x + i) / power);
  });
}

void Exponential(const ExpF32Args& args) {
  ForEachVector(args.n, [&](size_t i, auto access) {
    access.Store(args.y + i, simd::Exp(access.Load(args.x + i)));
  });
}

// Returns the sum of f(x) over all elements, in several parts that the compiler
// can compute side by side: it must not reorder a single sum of doubles, as
// that would change the result.
template <typename Term>
double SumOfTerms(const float* x, size_t n, const Term& f) {
  constexpr size_t kParts = 16;
  double parts[kParts] = {};
  size_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (size_t k = 0; k < kParts; ++k) {
      parts[k] += f(static_cast<double>(x[i + k]));
    }
  }
  double sum = 0;
  for (; i < n; ++i) sum += f(static_cast<double>(x[i]));
  for (const double part : parts) sum += part;
  return sum;
}

// Three passes: the mean, if it is subtracted, and the variance in double, then
// the results in float. The mean is subtracted before anything is scaled, so
// that elements close to it keep their precision.
void LayerNorm(const LayerNormF32Args& args) {
  const auto count = static_cast<double>(args.n);
  double mean = 0;
  if (args.centered) {
    mean = SumOfTerms(args.x, args.n, [](double v) { return v; }) / count;
  }
  const double variance =
      SumOfTerms(args.x, args.n,
                 [mean](double v) { return (v - mean) * (v - mean); }) /
      count;
  const F32 factor =
      Set1(static_cast<float>(1 / __builtin_sqrt(variance + args.epsilon)));
  const F32 middle = Set1(static_cast<float>(mean));
  ForEachVector(args.n, [&](size_t i, auto access) {
    F32 y = (access.Load(args.x + i) - middle) * factor;
    if (args.scale != nullptr) y = y * access.Load(args.scale + i);
    if (args.offset != nullptr) y = y + access.Load(args.offset + i);
    access.Store(args.y + i, y);
  });
}

// Rotates pairs (a, b) by their angles: a and b are loaded before either result
// is stored.
void Turn(const TurnF32Args& args) {
  // The cosines and sines of the second elements.
  const float* cos = args.cos + args.second;
  const float* sin = args.sin + args.second;
  ForEachVector(args.n, [&](size_t i, auto access) {
    const F32 a = access.Load(args.x + i);
    const F32 b = access.Load(args.x + args.n + i);
    access.Store(args.y + i,
                 a * access.Load(args.cos + i) - b * access.Load(args.sin + i));
    access.Store(args.y + args.n + i,
                 b * access.Load(cos + i) + a * access.Load(sin + i));
  });
}

// RowF32Set::largest. Rows shorter than a vector take a plain loop.
float LargestAnd(size_t n, const float* x, float least) {
  if (n >= kLanes) {
    return simd::Largest(simd::Max(Set1(LargestInRow(x, n)), Set1(least)));
  }
  for (size_t i = 0; i < n; ++i) least = x[i] > least ? x[i] : least;
  return least;
}

// RowF32Set::exp_sum: one pass, with a partial sum in each lane.
float ExpSum(size_t n, float* x, float largest) {
  const F32 max = Set1(largest);
  // The stored values are loaded again and summed: a partial load adds zeros.
  F32 sums = Set1(0);
  ForEachVector(n, [&](size_t i, auto access) {
    access.Store(x + i, simd::ExpOfNegative(access.Load(x + i) - max));
    sums = sums + access.Load(x + i);
  });
  return simd::Sum(sums);
}

// In the order of the fields of RowF32Set and SoftmaxF32Set.
constexpr RowF32Set kRow = {Affine,    Prelu, Mix,        Lrn,   Exponential,
                            LayerNorm, Turn,  LargestAnd, ExpSum};
constexpr SoftmaxF32Set kSoftmax = {SoftmaxRow, SoftmaxColumns, Exponential};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_LOOP_H_
