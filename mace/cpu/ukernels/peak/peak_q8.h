// int8 micro-kernels that do only what limits a machine: dot products between
// registers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Adds dot products of two vectors of bytes to as many sums at once as it takes
// to keep all units busy, in each round. Returns the total of the sums.
using PeakQ8Fn = int32_t(size_t rounds, int8_t a, int8_t b);

constexpr size_t kPeakQ8Sums = 12;

PeakQ8Fn peak_q8__scalar, peak_q8__avx2, peak_q8__avxvnni, peak_q8__avx512vnni,
    peak_q8__dotprod, peak_q8__i8mm;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_
