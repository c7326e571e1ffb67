// Micro-kernels that look up each code of 8 bits in a table.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_H_
#define MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// y[i] = table[x[i]].
struct LookupQ8Args {
  size_t n;
  const uint8_t* table;  // 256 codes
  const uint8_t* x;
  uint8_t* y;  // may be x
};

using LookupQ8Fn = void(const LookupQ8Args& args);

LookupQ8Fn lookup_q8__scalar, lookup_q8__avx2, lookup_q8__avx512,
    lookup_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_LOOKUP_Q8_LOOKUP_Q8_H_
