// The GEMM micro-kernel in plain C++, with which tests compare the others.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_SCALAR_GEMM_H_
#define MACE_CPU_UKERNELS_TESTING_SCALAR_GEMM_H_

#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

// Returns the row of these types that runs on every CPU (isa is 0). Null if the
// table has none. Its packing may differ from that of the row with which it is
// compared: operands are packed for each of them.
template <size_t kRows>
const GemmUkernel* ScalarGemm(const GemmUkernel (&table)[kRows],
                              const GemmTypes& types) {
  for (const GemmUkernel& row : table) {
    if (row.isa == 0 && row.types == types) return &row;
  }
  return nullptr;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_SCALAR_GEMM_H_
