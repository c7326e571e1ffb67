// Detecting instruction sets.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/cpu_features.h"

#include "mace/base/str_cat.h"

#if defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace mace {
namespace {

#if defined(__x86_64__)
// A leaf of CPUID with its subleaf; zeros if the CPU does not have it.
struct Cpuid {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  Cpuid(unsigned leaf, unsigned subleaf) {
    __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx);
  }
};

// Whether the system saves tiles when threads switch, and lets this process use
// them. REQUIRES: the CPU has XGETBV.
bool MayUseTiles() {
#if defined(__linux__)
  constexpr unsigned kTileStates = 3u << 17;  // their sizes and data
  unsigned eax, edx;
  asm("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  if ((eax & kTileStates) != kTileStates) return false;
  // As Documentation/arch/x86/xstate.rst of Linux says. Not all headers that we
  // build with have names for these.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

// REQUIRES: the system saves the registers of AVX2.
CpuFeatures DetectInt8(CpuFeatures found) {
  CpuFeatures f = 0;
  constexpr unsigned kAvxVnni = 1u << 4;      // of (7, 1) in EAX
  constexpr unsigned kAvx512Vnni = 1u << 11;  // of (7, 0) in ECX
  if (Cpuid(7, 1).eax & kAvxVnni) f |= kCpuAvxVnni;
  if ((found & kCpuAvx512) == 0) return f;
  const Cpuid leaf(7, 0);
  if ((leaf.ecx & kAvx512Vnni) == 0) return f;
  f |= kCpuAvx512Vnni;
  constexpr unsigned kAmx = 3u << 24;  // of (7, 0) in EDX: tiles, INT8
  if ((leaf.edx & kAmx) == kAmx && MayUseTiles()) f |= kCpuAmxInt8;
  return f;
}
#endif

CpuFeatures Detect() {
  CpuFeatures f = 0;
#if defined(__x86_64__) || defined(__i386__)
  // These ask the operating system too (XGETBV), not only the CPU.
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) f |= kCpuAmd;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    f |= kCpuAvx2Fma;
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      f |= kCpuAvx512;
      if (__builtin_cpu_supports("avx512bf16")) f |= kCpuAvx512Bf16;
    }
#if defined(__x86_64__)
    f |= DetectInt8(f);
#endif
  }
#elif defined(__aarch64__)
  f |= kCpuNeon;
  const unsigned long hwcap = getauxval(AT_HWCAP);
  if ((hwcap & HWCAP_FPHP) && (hwcap & HWCAP_ASIMDHP)) f |= kCpuFp16;
  if (hwcap & HWCAP_ASIMDDP) f |= kCpuDotProd;
  const unsigned long hwcap2 = getauxval(AT_HWCAP2);
  if (hwcap2 & HWCAP2_BF16) f |= kCpuBf16;
  if (hwcap2 & HWCAP2_I8MM) f |= kCpuI8mm;
#elif defined(__arm__)
  const unsigned long hwcap = getauxval(AT_HWCAP);
  if ((hwcap & HWCAP_NEON) && (hwcap & HWCAP_VFPv4)) f |= kCpuNeon;
#endif
  return f;
}

}  // namespace

CpuFeatures DetectCpuFeatures() {
  static const CpuFeatures features = Detect();
  return features;
}

std::string ToString(CpuFeatures features) {
  static constexpr struct {
    uint32_t bit;
    const char* name;
  } kNames[] = {{kCpuAvx2Fma, "avx2"},
                {kCpuAvx512, "avx512"},
                {kCpuAvx512Bf16, "avx512bf16"},
                {kCpuAmd, "amd"},
                {kCpuAvxVnni, "avxvnni"},
                {kCpuAvx512Vnni, "avx512vnni"},
                {kCpuAmxInt8, "amxint8"},
                {kCpuNeon, "neon"},
                {kCpuFp16, "fp16"},
                {kCpuDotProd, "dotprod"},
                {kCpuBf16, "bf16"},
                {kCpuI8mm, "i8mm"}};
  std::string s;
  for (const auto& n : kNames) {
    if (features & n.bit) s += StrCat(s.empty() ? "" : "+", n.name);
  }
  return s.empty() ? "scalar" : s;
}

}  // namespace mace
