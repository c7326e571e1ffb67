// The implementation of the row micro-kernels.
// SPDX-License-Identifier: Apache-2.0
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

void Lrn(const LrnF32Args& args) {
  const F32 bias = Set1(args.bias), alpha = Set1(args.alpha);
  ForEachVector(args.n, [&](size_t i, auto access) {
    F32 sum = Set1(0);
    for (size_t k = 0; k < args.window; ++k) {
      sum = sum + access.Load(args.squares + i + k);
    }
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

constexpr RowF32Set kRow = {Affine, Prelu, Mix, Lrn, Exponential};
constexpr SoftmaxF32Set kSoftmax = {SoftmaxRow, SoftmaxColumns, Exponential};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_LOOP_H_
