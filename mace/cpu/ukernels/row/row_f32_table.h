// The f32 row micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_TABLE_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/row/row_f32.h"

namespace mace::cpu {

// A set of functions: those of rows, or those of Softmax.
template <typename Set>
struct RowOf {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const Set* set;
};
using RowF32 = RowOf<RowF32Set>;
using SoftmaxRowF32 = RowOf<SoftmaxF32Set>;

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr RowF32 kRowF32[] = {
#if defined(__x86_64__)
    {"row_f32__avx512", kCpuAvx512, &row_f32__avx512},
    {"row_f32__avx2", kCpuAvx2Fma, &row_f32__avx2},
#elif defined(__ARM_NEON)
    {"row_f32__neon", kCpuNeon, &row_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"row_f32__scalar", 0, &row_f32__scalar},
#endif
};

// The same instruction sets as of kRowF32.
inline constexpr SoftmaxRowF32 kSoftmaxF32[] = {
#if defined(__x86_64__)
    {"softmax_f32__avx512", kCpuAvx512, &softmax_f32__avx512},
    {"softmax_f32__avx2", kCpuAvx2Fma, &softmax_f32__avx2},
#elif defined(__ARM_NEON)
    {"softmax_f32__neon", kCpuNeon, &softmax_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"softmax_f32__scalar", 0, &softmax_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_TABLE_H_
