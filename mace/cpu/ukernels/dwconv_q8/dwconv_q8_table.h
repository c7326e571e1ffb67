// The depthwise micro-kernels of quantized values in this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {

struct DwconvQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;      // what the CPU must have
  int lanes;            // channels of a block
  int group;            // adjacent lines of a column of the filter
  int kernel;           // width of the window; 0: any
  int stride;           // of fixed-width windows, which are not dilated
  int w_bytes;          // of an element of packed filters: 1 or 2
  int x_bytes;          // of an element of scratch; 0: scratch is not used
  bool reads_unsigned;  // flipped values are in [0, 255], not in [-128, 127]
  DwconvQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row that fits the CPU
// and the window and passes its self-test; tests and benchmarks loop over all
// rows.
inline constexpr DwconvQ8 kDwconvQ8[] = {
#if defined(__x86_64__)
    {"dwconv_q8_any__avx512vnni", kCpuAvx512Vnni, 64, 4, 0, 0, 1, 1, true,
     dwconv_q8_any__avx512vnni},
    {"dwconv_q8_any__avx2", kCpuAvx2Fma, 32, 2, 0, 0, 2, 2, true,
     dwconv_q8_any__avx2},
#elif defined(__aarch64__)
    {"dwconv_q8_any__dotprod", kCpuDotProd, 16, 4, 0, 0, 1, 1, false,
     dwconv_q8_any__dotprod},
#endif
#if defined(__aarch64__) || defined(__arm__)
    {"dwconv_q8_any__neon", kCpuNeon, 16, 1, 0, 0, 2, 2, false,
     dwconv_q8_any__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"dwconv_q8_any__scalar", 0, 8, 1, 0, 0, 2, 0, false,
     dwconv_q8_any__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_Q8_DWCONV_Q8_TABLE_H_
