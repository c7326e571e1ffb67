// Which micro-kernels of the CPU this build has.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CPU_ROWS_H_
#define MACE_BASE_CPU_ROWS_H_

// Rows of tables that no CPU of a library reaches, since every one of its
// instruction set has a better row. Tests, which compare with plain C++, have
// them nevertheless.
#if defined(MACE_LIBRARY) && defined(__aarch64__)
#define MACE_HAS_SCALAR_ROWS 0
#define MACE_HAS_ARMV7_ROWS 0
#else
#define MACE_HAS_SCALAR_ROWS 1
#define MACE_HAS_ARMV7_ROWS 1
#endif

namespace mace {

// Whether this library multiplies in fp16 and bf16, and takes weights stored as
// these: --define=cpu_16bit=false leaves the micro-kernels out.
#ifdef MACE_WITHOUT_16BIT_KERNELS
inline constexpr bool kHas16BitKernels = false;
#else
inline constexpr bool kHas16BitKernels = true;
#endif

// Whether this library computes quantized tensors: --define=cpu_8bit=false
// leaves their kernels out.
#ifdef MACE_WITHOUT_8BIT_KERNELS
inline constexpr bool kHas8BitKernels = false;
#else
inline constexpr bool kHas8BitKernels = true;
#endif

}  // namespace mace

#endif  // MACE_BASE_CPU_ROWS_H_
