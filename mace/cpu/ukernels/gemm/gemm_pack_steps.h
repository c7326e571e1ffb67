// Packs rows in plain C++, for micro-kernels of packed rows: kStep elements of
// each row in turn, and zeros after the last.
// SPDX-License-Identifier: Apache-2.0
//
//   [ceil(k / kStep)][m][kStep]
//
// With kStep = 2, m = 3 and k = 3:
//
//   r0: 0 1 | r1: 0 1 | r2: 0 1 | r0: 2 - | r1: 2 - | r2: 2 -      - is zero
//
// The scalar micro-kernels of bf16 and fp16 (gemm_16bit.h) include this file,
// the definition of their packing.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_PACK_STEPS_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_PACK_STEPS_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// Packs rows of any number of segments, as if each row were one run. `convert`
// converts an X to an A. Returns the end of the packed rows.
template <size_t kStep, typename A, typename X, typename Convert>
A* PackSteps(GemmUnpackedOf<X> rows, A* to, const Convert& convert) {
  const size_t depth = rows->k * rows->segments;
  const size_t steps = (depth + kStep - 1) / kStep;
  for (size_t i = 0; i < rows->m; ++i) {
    size_t at = 0;
    const auto put = [&](A value) {
      to[(at / kStep * rows->m + i) * kStep + at % kStep] = value;
      ++at;
    };
    for (size_t s = 0; s < rows->segments; ++s) {
      const X* x = rows.row(i) + s * rows->segment_stride;
      for (size_t k = 0; k < rows->k; ++k) put(convert(x[k]));
    }
    while (at < steps * kStep) put(A{0});
  }
  return to + steps * kStep * rows->m;
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_PACK_STEPS_H_
