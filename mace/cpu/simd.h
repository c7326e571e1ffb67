// The vector of f32 that elementwise code is written with: one thin type per
// instruction set, chosen by the flags a file is compiled with.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SIMD_H_
#define MACE_CPU_SIMD_H_
#endif  // MACE_CPU_SIMD_H_
