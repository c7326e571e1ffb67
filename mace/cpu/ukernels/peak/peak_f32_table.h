// The f32 peak micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_F32_TABLE_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/peak/peak_f32.h"

namespace mace::cpu {

struct PeakF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const PeakF32Set* set;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr PeakF32 kPeakF32[] = {
#if defined(__x86_64__)
    {"peak_f32__avx512", kCpuAvx512, &peak_f32__avx512},
    {"peak_f32__avx2", kCpuAvx2Fma, &peak_f32__avx2},
#elif defined(__ARM_NEON)
    {"peak_f32__neon", kCpuNeon, &peak_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"peak_f32__scalar", 0, &peak_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_F32_TABLE_H_
