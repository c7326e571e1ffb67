// The micro-kernels of this build that find magnitudes, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_TABLE_H_
#define MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32.h"

namespace mace::cpu {

struct MagnitudeF32Row {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  MagnitudeF32Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr MagnitudeF32Row kMagnitudeF32[] = {
#if defined(__x86_64__)
    {"magnitude_f32__avx512", kCpuAvx512, magnitude_f32__avx512},
    {"magnitude_f32__avx2", kCpuAvx2Fma, magnitude_f32__avx2},
#elif defined(__ARM_NEON)
    {"magnitude_f32__neon", kCpuNeon, magnitude_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"magnitude_f32__scalar", 0, magnitude_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_TABLE_H_
