// What most micro-kernels include, precompiled for each instruction set.
// SPDX-License-Identifier: Apache-2.0
//
// BUILD.bazel compiles this header with the options of each x86 instruction set
// and of plain C++, and has the files of that set include it first. A file must
// still include what it uses: files for Arm's instruction sets, and builds of
// each file alone (//mace:each_file_alone), go without this header.
#ifndef MACE_CPU_UKERNELS_PRECOMPILED_H_
#define MACE_CPU_UKERNELS_PRECOMPILED_H_

#include "mace/cpu/simd/element.h"
#include "mace/cpu/simd/simd.h"

#endif  // MACE_CPU_UKERNELS_PRECOMPILED_H_
