// The micro-kernels of rows of KV caches of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_KV_KV_ROWS_F32_TABLE_H_
#define MACE_CPU_UKERNELS_KV_KV_ROWS_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32.h"

namespace mace::cpu {

// kType is the type of x and y, f32; each set reads all types of rows.
struct KvRowsF32Kernel {
  static constexpr Element kType = Element::kF32;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  const KvRowsF32Set* set;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. armv7 and armv8 have the same row.
inline constexpr KvRowsF32Kernel kKvRowsF32[] = {
#if defined(__x86_64__)
    {"kv_rows_f32__avx512", kCpuAvx512, &kv_rows_f32__avx512},
    {"kv_rows_f32__avx2", kCpuAvx2Fma, &kv_rows_f32__avx2},
#elif defined(__ARM_NEON)
    {"kv_rows_f32__neon", kCpuNeon, &kv_rows_f32__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"kv_rows_f32__scalar", 0, &kv_rows_f32__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_KV_KV_ROWS_F32_TABLE_H_
