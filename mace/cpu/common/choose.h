// Chooses a row of a micro-kernel table.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CHOOSE_H_
#define MACE_CPU_COMMON_CHOOSE_H_

#include <cstddef>

#include "mace/base/cpu_features.h"

namespace mace::cpu {

// Returns the first row whose instruction set is among `features` and for which
// `fits` is true. REQUIRES: there is one; the last row of each table fits
// everything.
template <typename Row, size_t kRows, typename Fits>
const Row& ChooseRow(const Row (&table)[kRows], CpuFeatures features,
                     const Fits& fits) {
  const Row* row = table;
  while ((row->isa & features) != row->isa || !fits(*row)) ++row;
  return *row;
}

template <typename Row, size_t kRows>
const Row& ChooseRow(const Row (&table)[kRows], CpuFeatures features) {
  return ChooseRow(table, features, [](const Row&) { return true; });
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_CHOOSE_H_
