// The f32 Winograd micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TABLE_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/winograd/winograd_f32.h"

namespace mace::cpu {

struct WinogradF32 {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const WinogradF32Set* set;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. The last row of a build runs on each CPU
// of that build. The row for armv7 differs from that for armv8 in F(4, 3) only.
inline constexpr WinogradF32 kWinogradF32[] = {
#if defined(__x86_64__)
    {"winograd_f32__avx512", kCpuAvx512, &winograd_f32__avx512},
    {"winograd_f32__avx2", kCpuAvx2Fma, &winograd_f32__avx2},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"winograd_f32__aarch64", kCpuNeon, &winograd_f32__aarch64},
#endif
#if MACE_HAS_ARMV7_ROWS
    {"winograd_f32__neon", kCpuNeon, &winograd_f32__neon},
#endif
#endif
#if MACE_HAS_SCALAR_ROWS
    {"winograd_f32__scalar", 0, &winograd_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TABLE_H_
