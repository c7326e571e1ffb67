// The loops, which compilers vectorize for the instruction set of the file.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_LOOP_H_

#include "mace/cpu/ukernels/expand_q8/expand_q8.h"

namespace mace::cpu {
namespace {

inline void Expand8Bits(const ExpandQ8Args& t) {
  const auto* codes = reinterpret_cast<const int8_t*>(t.codes);
  float* __restrict to = t.to;
  const float scale = t.scales[0];
  for (size_t i = 0; i < t.n; ++i) {
    to[i] = scale * static_cast<float>(codes[i]);
  }
}

inline void ExpandBlock(const uint8_t* __restrict codes, float scale,
                        float* __restrict to) {
  for (size_t i = 0; i < 16; ++i) {
    to[i] = scale * static_cast<float>((codes[i] & 15) - 8);
  }
  for (size_t i = 0; i < 16; ++i) {
    to[16 + i] = scale * static_cast<float>((codes[i] >> 4) - 8);
  }
}

inline void Expand4Bits(const ExpandQ8Args& t) {
  constexpr size_t kBlock = 32;
  const size_t whole = t.n / kBlock;
  for (size_t b = 0; b < whole; ++b) {
    ExpandBlock(t.codes + b * 16, t.scales[b], t.to + b * kBlock);
  }
  const size_t left = t.n % kBlock;
  if (left == 0) return;
  float last[kBlock];
  ExpandBlock(t.codes + whole * 16, t.scales[whole], last);
  for (size_t i = 0; i < left; ++i) t.to[whole * kBlock + i] = last[i];
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_EXPAND_Q8_EXPAND_Q8_LOOP_H_
