// Micro-kernels that make floats of the codes in which a weight is stored.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_H_
#define MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// Of n elements: to[i] = scales[0] * code, codes of 8 bits being int8; those of
// 4 bits lie in blocks of 32 elements, and to[i] = scales[i / 32] * (code - 8).
// Byte b of the 16 bytes of a block has its elements b (the low half) and
// 16 + b. The last block is whole; only its first n % 32 elements are written.
struct ExpandQ8Args {
  size_t n;
  const uint8_t* codes;
  const float* scales;
  float* to;
};

using ExpandQ8Fn = void(const ExpandQ8Args& args);

ExpandQ8Fn expand_8bits_q8__scalar, expand_8bits_q8__avx2,
    expand_8bits_q8__avx512, expand_8bits_q8__neon;
ExpandQ8Fn expand_4bits_q8__scalar, expand_4bits_q8__avx2,
    expand_4bits_q8__avx512, expand_4bits_q8__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_H_
