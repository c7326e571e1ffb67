// The matrix-product micro-kernels of codes in this build, best first.
// SPDX-License-Identifier: Apache-2.0
//
// A new one is a file, gemm_q8_{MR}x{NR}__{isa}.cc, with a declaration in
// gemm_q8.h and a row here.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {

struct GemmQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  int mr, nr;       // the tile
  // See gemm_q8.h. `line` and `step` are multiples of `group`.
  int group, step, line;
  int a_bytes;  // of an element of packed a: 1 or 2
  bool reads_unsigned;
  GemmQ8Fn* fn;
  GemmQ8PackFn* pack;
  int least_b = -128;  // of elements of b
  // Null if sums become codes by a micro-kernel of their own. `bits` and
  // `max_right` limit it as those of RequantizeQ8 do.
  GemmQ8CodesFn* codes = nullptr;
  int bits = 0, max_right = 0;
  bool takes_steps = false;  // `pack` does; see GemmQ8Rows
};

// The dispatcher chooses the first row whose `isa` the CPU has and whose
// `least_b` the filter keeps to; tests and benchmarks loop over all rows. The
// last one is plain C++, with which tests compare the others.
inline constexpr GemmQ8 kGemmQ8[] = {
#if defined(__x86_64__)
    {"gemm_q8_16x32__amxint8", kCpuAmxInt8, 16, 32, 4, 4, 64, 1, true,
     gemm_q8_16x32__amxint8, gemm_q8_pack_16__amxint8, -128,
     gemm_q8_codes_16x32__amxint8, 29, 21, true},
    {"gemm_q8_12x32__avx512vnni", kCpuAvx512Vnni, 12, 32, 4, 4, 64, 1, true,
     gemm_q8_12x32__avx512vnni, gemm_q8_pack_12__avx512vnni, -128,
     gemm_q8_codes_12x32__avx512vnni, 29, 21, true},
    {"gemm_q8_6x16__avxvnni", kCpuAvxVnni, 6, 16, 4, 4, 64, 1, true,
     gemm_q8_6x16__avxvnni, gemm_q8_pack_6__avxvnni},
    {"gemm_q8_6x16__avx2", kCpuAvx2Fma, 6, 16, 2, 2, 32, 2, true,
     gemm_q8_6x16__avx2, gemm_q8_pack_6__avx2},
#elif defined(__aarch64__)
    {"gemm_q8_6x16__i8mm", kCpuI8mm | kCpuDotProd, 6, 16, 8, 8, 8, 1, false,
     gemm_q8_6x16__i8mm, gemm_q8_pack_6__dotprod},
    {"gemm_q8_6x16__dotprod", kCpuDotProd, 6, 16, 4, 4, 8, 1, false,
     gemm_q8_6x16__dotprod, gemm_q8_pack_6__dotprod},
    {"gemm_q8_4x16__aarch64", kCpuNeon, 4, 16, 2, 4, 2, 1, false,
     gemm_q8_4x16__aarch64, gemm_q8_pack_4__neon, -127},
#endif
#if defined(__aarch64__) || defined(__arm__)
#if MACE_HAS_ARMV7_ROWS
    {"gemm_q8_4x8__neon", kCpuNeon, 4, 8, 2, 4, 2, 1, false, gemm_q8_4x8__neon,
     gemm_q8_pack_4__neon, -127},
#endif
    {"gemm_q8_4x8_full__neon", kCpuNeon, 4, 8, 2, 4, 2, 1, false,
     gemm_q8_4x8_full__neon, gemm_q8_pack_4__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"gemm_q8_4x8__scalar", 0, 4, 8, 2, 2, 2, 1, false, gemm_q8_4x8__scalar,
     gemm_q8_pack_4__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_TABLE_H_
