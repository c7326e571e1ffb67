// The implementation of the int8 peak micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Each peak_q8__{isa}.cc calls PeakOf with the best instruction of its set:
// VPDPBUSD, VPMADDUBSW with two more on AVX2, SMMLA or SDOT; in plain C++, an
// addition of the product.
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_Q8_LOOP_H_

#include "mace/cpu/ukernels/peak/peak_q8.h"

namespace mace::cpu {
namespace {

// `add(sum)` adds dot products to a sum, a vector of int32, and keeps the
// compiler from merging sums that are equal, by empty assembly; `total(sum)`
// adds up its elements. `zero` is a sum of zeros.
template <typename Sum, typename Add, typename Total>
inline int32_t PeakOf(size_t rounds, Sum zero, const Add& add,
                      const Total& total) {
  Sum sums[kPeakQ8Sums];
#pragma GCC unroll 12
  for (Sum& sum : sums) sum = zero;
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (Sum& sum : sums) add(sum);
  }
  uint32_t all = 0;
#pragma GCC unroll 12
  for (const Sum& sum : sums) all += static_cast<uint32_t>(total(sum));
  return static_cast<int32_t>(all);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_Q8_LOOP_H_
