// The pooling micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_TABLE_H_
#define MACE_CPU_UKERNELS_POOL_POOL_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/pool/pool_f32.h"
#include "mace/cpu/ukernels/pool/pool_q8.h"

namespace mace::cpu {

// The functions for windows and, of f32, for lines. T is float, or uint16_t for
// fp16.
template <typename T>
struct PoolRow {
  static constexpr Element kType = ElementOf<T>();
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  PoolFn<T>* max;
  PoolFn<T>* mean;
  PoolFn<T>* l2;
  // Of f32 only: the floats of a vector, by which a caller estimates whether
  // lines are faster than windows, and the functions for lines.
  int lanes = 1;
  const PoolF32LineSet* lines = nullptr;
};
using PoolF32 = PoolRow<float>;
using PoolF16 = PoolRow<uint16_t>;

struct PoolQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  PoolQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test.
inline constexpr PoolF32 kPoolF32[] = {
#if defined(__x86_64__)
    {"pool_f32__avx512", kCpuAvx512, pool_max_f32__avx512,
     pool_mean_f32__avx512, pool_l2_f32__avx512, 16, &pool_f32_lines__avx512},
    {"pool_f32__avx2", kCpuAvx2Fma, pool_max_f32__avx2, pool_mean_f32__avx2,
     pool_l2_f32__avx2, 8, &pool_f32_lines__avx2},
#elif defined(__ARM_NEON)
    {"pool_f32__neon", kCpuNeon, pool_max_f32__neon, pool_mean_f32__neon,
     pool_l2_f32__neon, 4, &pool_f32_lines__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"pool_f32__scalar", 0, pool_max_f32__scalar, pool_mean_f32__scalar,
     pool_l2_f32__scalar, 1, &pool_f32_lines__scalar},
#endif
};

// The last row is for CPUs without arithmetic in fp16; every library has it.
inline constexpr PoolF16 kPoolF16[] = {
#if defined(__aarch64__)
    {"pool_f16__fp16", kCpuNeon | kCpuFp16, pool_max_f16__fp16,
     pool_mean_f16__fp16, pool_l2_f16__fp16},
#endif
    {"pool_f16__scalar", 0, pool_max_f16__scalar, pool_mean_f16__scalar,
     pool_l2_f16__scalar},
};

// CPUs with AVX-512 use the row for AVX2.
inline constexpr PoolQ8 kMaxpoolQ8[] = {
#if defined(__x86_64__)
    {"maxpool_q8__avx2", kCpuAvx2Fma, maxpool_q8__avx2},
#elif defined(__ARM_NEON)
    {"maxpool_q8__neon", kCpuNeon, maxpool_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"maxpool_q8__scalar", 0, maxpool_q8__scalar},
#endif
};

inline constexpr PoolQ8 kAvgpoolQ8[] = {
#if defined(__x86_64__)
    {"avgpool_q8__avx2", kCpuAvx2Fma, avgpool_q8__avx2},
#elif defined(__ARM_NEON)
    {"avgpool_q8__neon", kCpuNeon, avgpool_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"avgpool_q8__scalar", 0, avgpool_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_POOL_POOL_TABLE_H_
