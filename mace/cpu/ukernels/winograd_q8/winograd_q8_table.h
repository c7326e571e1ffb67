// The Winograd micro-kernels of quantized values in this build, best first.
// SPDX-License-Identifier: Apache-2.0
//
// A new one is a file, winograd_q8_{MR}x{NR}__{isa}.cc, with a declaration in
// winograd_q8.h and a row here. How filters are packed follows from nr, step
// and group of the row, how tiles of the input are from mr and lanes.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8.h"

namespace mace::cpu {

// What the work of a set costs, in multiply-adds of the GEMM of quantized
// values (gemm_q8) that the same CPU takes. PlanConv (mace/cpu/conv) compares
// the sum for a convolution with that of the GEMM, and takes the cheaper one.
struct WinogradQ8Costs {
  double product;      // a multiply-add of 16 bits
  double input;        // of a channel of a tile, all 36 elements
  double output;       // of an output channel of a tile, all 16 outputs
  double filter_byte;  // of the packed filter, each time it is read
};

struct WinogradQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  // With any of these features, a CPU multiplies 8-bit values so fast that
  // Winograd gains nothing: AMX-INT8 multiplies 16 of them in the time that
  // AVX512-VNNI takes for one value of 16 bits.
  CpuFeatures slower_than;
  int mr, nr;  // the tile of the GEMM: rows are tiles, columns output channels
  int lanes;   // channels of a group of v
  int step;    // depth is a multiple of it, with filters padded by zeros
  int group;   // adjacent channels of b that an instruction multiplies
  WinogradQ8Costs costs;
  const WinogradQ8Set* set;
};

// The costs follow from counting instructions: the transforms take about 310
// for `lanes` channels and 290 for half as many output channels, in vectors as
// long as those of the product. Bytes are as in mace/cpu/conv/conv_cost.cc.
namespace winograd_q8_costs {
inline constexpr WinogradQ8Costs kAvx512Vnni = {2, 620, 1160, 2};
inline constexpr WinogradQ8Costs kAvxVnni = {2, 620, 1160, 1.5};
inline constexpr WinogradQ8Costs kAvx2 = {1, 155, 290, 0.75};
inline constexpr WinogradQ8Costs kAarch64 = {1.4, 188, 350, 0.45};
inline constexpr WinogradQ8Costs kNeon = {1, 100, 190, 0.25};
inline constexpr WinogradQ8Costs kScalar = {1, 60, 100, 0.1};
}  // namespace winograd_q8_costs

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. Tests compare rows with the one in plain
// C++, which libraries for 64-bit Arm do not contain.
inline constexpr WinogradQ8 kWinogradQ8[] = {
#if defined(__x86_64__)
    {"winograd_q8_12x32__avx512vnni", kCpuAvx512Vnni, kCpuAmxInt8, 12, 32, 32,
     2, 2, winograd_q8_costs::kAvx512Vnni, &winograd_q8_12x32__avx512vnni},
    {"winograd_q8_6x16__avxvnni", kCpuAvxVnni, 0, 6, 16, 16, 2, 2,
     winograd_q8_costs::kAvxVnni, &winograd_q8_6x16__avxvnni},
    {"winograd_q8_6x16__avx2", kCpuAvx2Fma, 0, 6, 16, 16, 2, 2,
     winograd_q8_costs::kAvx2, &winograd_q8_6x16__avx2},
#elif defined(__aarch64__)
    {"winograd_q8_8x16__aarch64", kCpuNeon, kCpuDotProd | kCpuI8mm, 8, 16, 8, 8,
     1, winograd_q8_costs::kAarch64, &winograd_q8_8x16__aarch64},
#endif
#if (defined(__aarch64__) && MACE_HAS_ARMV7_ROWS) || \
    (defined(__arm__) && defined(__ARM_NEON))
    {"winograd_q8_4x16__neon", kCpuNeon, kCpuDotProd | kCpuI8mm, 4, 16, 8, 8, 1,
     winograd_q8_costs::kNeon, &winograd_q8_4x16__neon},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"winograd_q8_4x16__scalar", 0, 0, 4, 16, 8, 8, 1,
     winograd_q8_costs::kScalar, &winograd_q8_4x16__scalar},
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_Q8_WINOGRAD_Q8_TABLE_H_
