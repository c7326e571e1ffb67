// The int8 peak micro-kernels of this build, best first. The tiles of AMX,
// which multiply several times as much, are not among them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_Q8_TABLE_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_Q8_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/peak/peak_q8.h"

namespace mace::cpu {

struct PeakQ8 {
  static constexpr Element kType = Element::kQ8;
  const char* name;
  CpuFeatures isa;        // what the CPU must have
  size_t macs_per_round;  // kPeakQ8Sums times those of an instruction
  PeakQ8Fn* fn;
};

// ChooseRow (mace/cpu/common/choose.h) takes the first row whose `isa` the CPU
// has and which passes its self-test. The last row is in every build, unlike
// the rows in plain C++ of other tables: 64-bit Arm may have neither of the two
// above it.
inline constexpr PeakQ8 kPeakQ8[] = {
#if defined(__x86_64__)
    {"peak_q8__avx512vnni", kCpuAvx512Vnni, kPeakQ8Sums * 64,
     peak_q8__avx512vnni},
    {"peak_q8__avxvnni", kCpuAvxVnni, kPeakQ8Sums * 32, peak_q8__avxvnni},
    {"peak_q8__avx2", kCpuAvx2Fma, kPeakQ8Sums * 32, peak_q8__avx2},
#elif defined(__aarch64__)
    {"peak_q8__i8mm", kCpuI8mm, kPeakQ8Sums * 32, peak_q8__i8mm},
    {"peak_q8__dotprod", kCpuDotProd, kPeakQ8Sums * 16, peak_q8__dotprod},
#endif
    {"peak_q8__scalar", 0, kPeakQ8Sums, peak_q8__scalar},
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_Q8_TABLE_H_
