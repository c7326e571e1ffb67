// The binary micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_BINARY_BINARY_F32_TABLE_H_
#define MACE_CPU_UKERNELS_BINARY_BINARY_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/binary/binary_f32.h"

namespace mace::cpu {

// All functions, or a single one. A row has a pointer to its set, not the set:
// the set is defined in another file, and only its address is a constant here.
template <typename T, typename Set = BinarySet<T>>
struct BinaryRow {
  static constexpr Element kType = ElementOf<T>();
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const Set* set;
};
using BinaryF32 = BinaryRow<float>;
using BinaryF16 = BinaryRow<uint16_t>;
using BinaryOneF32 = BinaryRow<float, BinaryF32One>;
using BinaryOneF16 = BinaryRow<uint16_t, BinaryF16One>;

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr BinaryF32 kBinaryF32[] = {
#if defined(__x86_64__)
    {"binary_f32__avx512", kCpuAvx512, &binary_f32__avx512},
    {"binary_f32__avx2", kCpuAvx2Fma, &binary_f32__avx2},
#elif defined(__ARM_NEON)
    {"binary_f32__neon", kCpuNeon, &binary_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"binary_f32__scalar", 0, &binary_f32__scalar},
#endif
};

// The last row of each fp16 table is for CPUs without fp16 arithmetic, and
// stays in every library.
inline constexpr BinaryF16 kBinaryF16[] = {
#if defined(__aarch64__)
    {"binary_f16__fp16", kCpuNeon | kCpuFp16, &binary_f16__fp16},
#endif
    {"binary_f16__scalar", 0, &binary_f16__scalar},
};

// Additions, for the addend of a convolution and for Strassen's algorithm.
inline constexpr BinaryOneF32 kBinaryAddF32[] = {
#if defined(__x86_64__)
    {"binary_add_f32__avx512", kCpuAvx512, &binary_add_f32__avx512},
    {"binary_add_f32__avx2", kCpuAvx2Fma, &binary_add_f32__avx2},
#elif defined(__ARM_NEON)
    {"binary_add_f32__neon", kCpuNeon, &binary_add_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"binary_add_f32__scalar", 0, &binary_add_f32__scalar},
#endif
};

// Subtractions, for Strassen's algorithm.
inline constexpr BinaryOneF32 kBinarySubtractF32[] = {
#if defined(__x86_64__)
    {"binary_subtract_f32__avx512", kCpuAvx512, &binary_subtract_f32__avx512},
    {"binary_subtract_f32__avx2", kCpuAvx2Fma, &binary_subtract_f32__avx2},
#elif defined(__ARM_NEON)
    {"binary_subtract_f32__neon", kCpuNeon, &binary_subtract_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"binary_subtract_f32__scalar", 0, &binary_subtract_f32__scalar},
#endif
};

inline constexpr BinaryOneF16 kBinaryAddF16[] = {
#if defined(__aarch64__)
    {"binary_add_f16__fp16", kCpuNeon | kCpuFp16, &binary_add_f16__fp16},
#endif
    {"binary_add_f16__scalar", 0, &binary_add_f16__scalar},
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_BINARY_F32_TABLE_H_
