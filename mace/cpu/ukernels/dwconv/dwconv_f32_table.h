// The depthwise micro-kernels of this build, best first.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_TABLE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/simd/element.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32.h"

namespace mace::cpu {

// A micro-kernel, and how its caller cuts and packs for it. T is float, or
// uint16_t for fp16.
template <typename T>
struct Dwconv {
  static constexpr Element kType = ElementOf<T>();
  const char* name;
  CpuFeatures isa;  // what the CPU must have
  // Number of channels whose taps are packed together: those of a vector, or of
  // four (16, for windows 3 wide of float on armv8).
  int lanes;
  int kernel;  // width of the window; 0: any window, given as taps
  int stride;  // of columns; 0 if kernel is 0
  DwconvFn<T>* fn;
  // Largest number of outputs of a tile. Rows with 32 compute any width; for
  // them it only bounds the pointers that the caller keeps ready. `any` has 1.
  int max_width = 4;
};
using DwconvF32 = Dwconv<float>;
using DwconvF16 = Dwconv<uint16_t>;

// The first row that fits the CPU and the window and passes its self-test is
// chosen: in kDwconvF32Wide, and if none fits there, in kDwconvF32. Tests and
// benchmarks loop over all rows. Windows whose columns are dilated fit only
// `any`. The height of a window and the dilation of its lines do not matter.
// The last row fits any window, and runs on every CPU for which the build is:
// without it, ChooseRow (choose.h) could run past the end.
//
// Transposed convolutions divide channels into blocks by the lanes of the first
// row of kDwconvF32 that the CPU has (deconv_depthwise.cc).
inline constexpr DwconvF32 kDwconvF32[] = {
#if defined(__x86_64__)
    {"dwconv_f32_3s1__avx512", kCpuAvx512, 16, 3, 1, dwconv_f32_3s1__avx512,
     32},
    {"dwconv_f32_3s2__avx512", kCpuAvx512, 16, 3, 2, dwconv_f32_3s2__avx512,
     32},
    {"dwconv_f32_any__avx512", kCpuAvx512, 16, 0, 0, dwconv_f32_any__avx512, 1},
    {"dwconv_f32_3s1__avx2", kCpuAvx2Fma, 8, 3, 1, dwconv_f32_3s1__avx2, 32},
    {"dwconv_f32_3s2__avx2", kCpuAvx2Fma, 8, 3, 2, dwconv_f32_3s2__avx2, 32},
    {"dwconv_f32_any__avx2", kCpuAvx2Fma, 8, 0, 0, dwconv_f32_any__avx2, 1},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"dwconv_f32_3s1__aarch64", kCpuNeon, 16, 3, 1, dwconv_f32_3s1__aarch64,
     32},
    {"dwconv_f32_3s2__aarch64", kCpuNeon, 16, 3, 2, dwconv_f32_3s2__aarch64,
     32},
#endif
#if MACE_HAS_ARMV7_ROWS
    {"dwconv_f32_3s1__neon", kCpuNeon, 4, 3, 1, dwconv_f32_3s1__neon},
    {"dwconv_f32_3s2__neon", kCpuNeon, 4, 3, 2, dwconv_f32_3s2__neon},
#endif
    {"dwconv_f32_any__neon", kCpuNeon, 4, 0, 0, dwconv_f32_any__neon, 1},
#endif
#if MACE_HAS_SCALAR_ROWS
    {"dwconv_f32_3s1__scalar", 0, 1, 3, 1, dwconv_f32_3s1__scalar},
    {"dwconv_f32_any__scalar", 0, 1, 0, 0, dwconv_f32_any__scalar, 1},
#endif
};

// Windows 1, 2, 5 and 7 wide. Widths 1 and 2 occur in the phases of transposed
// convolutions. A library without the kernels `depthwise` leaves this table out
// (wide_dwconv.h). Perhaps no row fits a CPU and a window.
inline constexpr DwconvF32 kDwconvF32Wide[] = {
#if defined(__x86_64__)
    {"dwconv_f32_5s1__avx512", kCpuAvx512, 16, 5, 1, dwconv_f32_5s1__avx512,
     32},
    {"dwconv_f32_5s2__avx512", kCpuAvx512, 16, 5, 2, dwconv_f32_5s2__avx512,
     32},
    {"dwconv_f32_7s1__avx512", kCpuAvx512, 16, 7, 1, dwconv_f32_7s1__avx512,
     32},
    {"dwconv_f32_1s1__avx512", kCpuAvx512, 16, 1, 1, dwconv_f32_1s1__avx512,
     32},
    {"dwconv_f32_2s1__avx512", kCpuAvx512, 16, 2, 1, dwconv_f32_2s1__avx512,
     32},
    {"dwconv_f32_5s1__avx2", kCpuAvx2Fma, 8, 5, 1, dwconv_f32_5s1__avx2, 32},
    {"dwconv_f32_5s2__avx2", kCpuAvx2Fma, 8, 5, 2, dwconv_f32_5s2__avx2, 32},
    {"dwconv_f32_7s1__avx2", kCpuAvx2Fma, 8, 7, 1, dwconv_f32_7s1__avx2, 32},
    {"dwconv_f32_1s1__avx2", kCpuAvx2Fma, 8, 1, 1, dwconv_f32_1s1__avx2, 32},
    {"dwconv_f32_2s1__avx2", kCpuAvx2Fma, 8, 2, 1, dwconv_f32_2s1__avx2, 32},
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    {"dwconv_f32_5s1__aarch64", kCpuNeon, 4, 5, 1, dwconv_f32_5s1__aarch64},
    {"dwconv_f32_5s2__aarch64", kCpuNeon, 4, 5, 2, dwconv_f32_5s2__aarch64},
    {"dwconv_f32_7s1__aarch64", kCpuNeon, 4, 7, 1, dwconv_f32_7s1__aarch64},
#endif
#if MACE_HAS_ARMV7_ROWS
    {"dwconv_f32_5s1__neon", kCpuNeon, 4, 5, 1, dwconv_f32_5s1__neon},
    {"dwconv_f32_5s2__neon", kCpuNeon, 4, 5, 2, dwconv_f32_5s2__neon},
    {"dwconv_f32_7s1__neon", kCpuNeon, 4, 7, 1, dwconv_f32_7s1__neon},
#endif
    {"dwconv_f32_1s1__neon", kCpuNeon, 4, 1, 1, dwconv_f32_1s1__neon},
    {"dwconv_f32_2s1__neon", kCpuNeon, 4, 2, 1, dwconv_f32_2s1__neon},
#endif
};

// The same for fp16: windows 3 wide, and any. CPUs without fp16 arithmetic, and
// all x86 and armv7 builds, have plain C++ only.
inline constexpr DwconvF16 kDwconvF16[] = {
#if defined(__aarch64__)
    {"dwconv_f16_3s1__fp16", kCpuNeon | kCpuFp16, 8, 3, 1,
     dwconv_f16_3s1__fp16},
    {"dwconv_f16_3s2__fp16", kCpuNeon | kCpuFp16, 8, 3, 2,
     dwconv_f16_3s2__fp16},
    {"dwconv_f16_any__fp16", kCpuNeon | kCpuFp16, 8, 0, 0, dwconv_f16_any__fp16,
     1},
#endif
    {"dwconv_f16_any__scalar", 0, 1, 0, 0, dwconv_f16_any__scalar, 1},
};

#if defined(__aarch64__)
// Windows 5 wide. Only armv8 has such rows; an array must not be empty, so
// that other builds have no table.
inline constexpr DwconvF16 kDwconvF16Wide[] = {
    {"dwconv_f16_5s1__fp16", kCpuNeon | kCpuFp16, 8, 5, 1,
     dwconv_f16_5s1__fp16},
    {"dwconv_f16_5s2__fp16", kCpuNeon | kCpuFp16, 8, 5, 2,
     dwconv_f16_5s2__fp16},
};
#endif

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F32_TABLE_H_
