// The micro-kernels of this build that quantize and dequantize, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/quantize_q8/dequantize_rows_q8.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8.h"

namespace mace::cpu {

struct QuantizeQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  QuantizeQ8Fn* quantize;
  DequantizeQ8Fn* dequantize;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. The row for armv8 shares
// dequantize_q8__neon; dequantize_q8__avx512 is the loop for all instruction
// sets, compiled for AVX-512.
inline constexpr QuantizeQ8 kQuantizeQ8[] = {
#if defined(__x86_64__)
    {"quantize_q8__avx512", kCpuAvx512, quantize_q8__avx512,
     dequantize_q8__avx512},
    {"quantize_q8__avx2", kCpuAvx2Fma, quantize_q8__avx2, dequantize_q8__avx2},
#elif defined(__aarch64__)
    {"quantize_q8__aarch64", kCpuNeon, quantize_q8__aarch64,
     dequantize_q8__neon},
#endif
#if defined(__aarch64__) || defined(__arm__)
    {"quantize_q8__neon", kCpuNeon, quantize_q8__neon, dequantize_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"quantize_q8__scalar", 0, quantize_q8__scalar, dequantize_q8__scalar},
#endif
};

// Micro-kernels of rows of weights; see DequantizeRowsQ8Args.
struct DequantizeRowsQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;            // what the CPU must have
  DequantizeRowsQ8Fn* bits8;  // int8, one scale
  DequantizeRowsQ8Fn* bits4;  // int4 in blocks of 32
};

// Chosen as above.
inline constexpr DequantizeRowsQ8 kDequantizeRowsQ8[] = {
#if defined(__x86_64__)
    {"dequantize_rows_q8__avx512", kCpuAvx512, dequantize_8bits_q8__avx512,
     dequantize_4bits_q8__avx512},
    {"dequantize_rows_q8__avx2", kCpuAvx2Fma, dequantize_8bits_q8__avx2,
     dequantize_4bits_q8__avx2},
#elif defined(__aarch64__) || defined(__arm__)
    {"dequantize_rows_q8__neon", kCpuNeon, dequantize_8bits_q8__neon,
     dequantize_4bits_q8__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"dequantize_rows_q8__scalar", 0, dequantize_8bits_q8__scalar,
     dequantize_4bits_q8__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_TABLE_H_
