// The f32 activation micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_TABLE_H_
#define MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/activate/activate_f32.h"

namespace mace::cpu {

struct ActivateF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const ActivateF32Set* set;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr ActivateF32 kActivateF32[] = {
#if defined(__x86_64__)
    {"activate_f32__avx512", kCpuAvx512, &activate_f32__avx512},
    {"activate_f32__avx2", kCpuAvx2Fma, &activate_f32__avx2},
#elif defined(__ARM_NEON)
    {"activate_f32__neon", kCpuNeon, &activate_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"activate_f32__scalar", 0, &activate_f32__scalar},
#endif
};

// Clamps only. The pointer to the function is a constant of another file: only
// the address of that constant is known when the table is compiled.
struct ClampF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;
  ActivateF32Fn* const* fn;
};

inline constexpr ClampF32 kClampF32[] = {
#if defined(__x86_64__)
    {"clamp_f32__avx512", kCpuAvx512, &clamp_f32__avx512},
    {"clamp_f32__avx2", kCpuAvx2Fma, &clamp_f32__avx2},
#elif defined(__ARM_NEON)
    {"clamp_f32__neon", kCpuNeon, &clamp_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"clamp_f32__scalar", 0, &clamp_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_TABLE_H_
