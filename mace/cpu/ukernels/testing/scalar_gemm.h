// The GEMM micro-kernel in plain C++, with which tests compare the others.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_SCALAR_GEMM_H_
#define MACE_CPU_UKERNELS_TESTING_SCALAR_GEMM_H_

#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

// Returns the first row of these types that runs on every CPU (isa is 0); null
// if the table has none. Its packing may differ from that of the row that a
// test compares with it: the test packs operands for each of the two.
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
