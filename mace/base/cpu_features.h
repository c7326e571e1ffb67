// CpuFeatures: instruction sets, as bits, that this CPU has.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CPU_FEATURES_H_
#define MACE_BASE_CPU_FEATURES_H_

#include <cstdint>
#include <string>

namespace mace {

using CpuFeatures = uint32_t;

enum CpuFeature : uint32_t {
  kCpuAvx2Fma = 1u << 0,  // AVX2 and FMA3; F16C is assumed
  kCpuAvx512 = 1u << 1,   // AVX-512 F, BW, DQ and VL
  kCpuAvx512Bf16 = 1u << 2,
  // A core designed by AMD, which no kernel needs, but whose instructions have
  // other costs than the same ones elsewhere.
  kCpuAmd = 1u << 3,
  // Sums of four products of 8-bit integers, in vectors of 256 and 512 bits.
  kCpuAvxVnni = 1u << 4,
  kCpuAvx512Vnni = 1u << 5,
  // Products of tiles of 8-bit integers, which the system lets this process
  // use. Only CPUs with AVX512-VNNI have them.
  kCpuAmxInt8 = 1u << 6,
  kCpuNeon = 1u << 8,  // armv8, or armv7 with vfpv4
  kCpuFp16 = 1u << 9,  // armv8.2 half-precision arithmetic
  kCpuDotProd = 1u << 10,
  kCpuBf16 = 1u << 11,
  kCpuI8mm = 1u << 12,  // products of 2x8 and 8x2 matrices of 8-bit integers
};

// Returns what the CPU and the operating system support. Detected once;
// thread-safe. The first call asks Linux for permission to use the tiles of
// AMX, if the CPU has them.
CpuFeatures DetectCpuFeatures();

// "avx2+avx512", or "scalar"; for logs and plans.
std::string ToString(CpuFeatures features);

}  // namespace mace

#endif  // MACE_BASE_CPU_FEATURES_H_
