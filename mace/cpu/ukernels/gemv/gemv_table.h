// The matrix-vector micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
//
// A row begins with name and isa, as the rows of all tables (RowHead of
// mace/cpu/common/choose.h). kType is the type of the numbers with which the
// operands of its self-test are filled. Libraries for armv8 leave out rows that
// no armv8 CPU would choose, as each has a better one (mace/base/cpu_rows.h).
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_TABLE_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/gemv/gemv_f32.h"
#include "mace/cpu/ukernels/gemv/gemv_q8.h"

namespace mace::cpu {

// A micro-kernel for float32 weights.
struct GemvF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  GemvF32Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr GemvF32 kGemvF32[] = {
#if defined(__x86_64__)
    {"gemv_f32__avx512", kCpuAvx512, gemv_f32__avx512},
    {"gemv_f32__avx2", kCpuAvx2Fma, gemv_f32__avx2},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"gemv_f32__aarch64", kCpuNeon, gemv_f32__aarch64},
#endif
#if MACE_HAS_ARMV7_ROWS
    {"gemv_f32__neon", kCpuNeon, gemv_f32__neon},
#endif
#endif
#if MACE_HAS_SCALAR_ROWS
    {"gemv_f32__scalar", 0, gemv_f32__scalar},
#endif
};

// The micro-kernels of an instruction set for stored int8 and int4 weights.
// Both are chosen and tested together.
struct GemvQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  GemvQ8Fn* bits8;  // int8, a float scale for each row
  GemvQ8Fn* bits4;  // int4, an fp16 scale for each block
};

inline constexpr GemvQ8 kGemvQ8[] = {
#if defined(__x86_64__)
    {"gemv_q8__avx512", kCpuAvx512, gemv_8bits_q8__avx512,
     gemv_4bits_q8__avx512},
    {"gemv_q8__avx2", kCpuAvx2Fma, gemv_8bits_q8__avx2, gemv_4bits_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"gemv_q8__neon", kCpuNeon, gemv_8bits_q8__neon, gemv_4bits_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"gemv_q8__scalar", 0, gemv_8bits_q8__scalar, gemv_4bits_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_TABLE_H_
