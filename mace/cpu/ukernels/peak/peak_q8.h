// int8 micro-kernels that do only what limits a machine: dot products between
// registers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_
#define MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// In each round, adds dot products of two vectors of bytes to each of
// kPeakQ8Sums vectors of sums, which keep all units busy. All bytes of one
// vector are a, all bytes of the other b. Returns the total of the sums,
//
//   rounds * macs_per_round * a * b     (PeakQ8::macs_per_round, in the table)
//
// which wraps around and must be used, or compilers may remove the call.
// REQUIRES: a >= 0, because the instructions of x86 take the first factors as
// unsigned.
using PeakQ8Fn = int32_t(size_t rounds, int8_t a, int8_t b);

// The number of independent vectors of sums; peak_f32_loop.h has the reason.
constexpr size_t kPeakQ8Sums = 12;

PeakQ8Fn peak_q8__scalar, peak_q8__avx2, peak_q8__avxvnni, peak_q8__avx512vnni,
    peak_q8__dotprod, peak_q8__i8mm;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_PEAK_PEAK_Q8_H_
