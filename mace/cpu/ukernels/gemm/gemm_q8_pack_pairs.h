// Packs four rows of quantized values on NEON, in lines of two bytes.
// SPDX-License-Identifier: Apache-2.0
//
//   row 0: k0 k1 | row 1: k0 k1 | row 2: k0 k1 | row 3: k0 k1 |
//   row 0: k2 k3 | row 1: k2 k3 | ...
//
// which is what VST4 of 16-bit elements writes from a vector of each row. For
// the 4x8 and 4x16 tiles without SDOT.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_PAIRS_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_PAIRS_H_

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kPairRows = 4, kPair = 2;
constexpr size_t kPairs = 8;  // in a vector

// Adds 16 values, read as int8, to the four sums of a vector.
inline int32x4_t AddBytes(int32x4_t sum, uint8x16_t quantized) {
  return vpadalq_s16(sum, vpaddlq_s8(vreinterpretq_s8_u8(quantized)));
}

// Returns the sum of four elements; armv7 has no instruction for it.
inline int32_t Total(int32x4_t x) {
  const int32x2_t pair = vadd_s32(vget_low_s32(x), vget_high_s32(x));
  return vget_lane_s32(vpadd_s32(pair, pair), 0);
}

// Packs up to four rows, as GemmPackRunsFn. Leaves the lines of other rows as
// they are: whole vectors of pairs are stored only if rows.m is 4. If the depth
// is odd, leaves the second half of the last pair unwritten. Pairs may span
// runs. Values are packed one by one if rows.m is less than 4, if a run begins
// within a pair, and where fewer than 8 pairs of a run are left.
inline void PackPairs(const GemmRuns& rows, void* packed) {
  const uint8x16_t flip = vdupq_n_u8(rows.flip);
  const size_t m = rows.m, n = rows.n, segments = rows.segments;
  const uint8_t* const* runs = rows.runs;
  const bool adds = rows.sums != nullptr;
  auto* to = static_cast<uint8_t*>(packed);
  int32x4_t vectors[kPairRows];
  int32_t rest[kPairRows] = {0, 0, 0, 0};
  for (int32x4_t& v : vectors) v = vdupq_n_s32(0);
  size_t at = 0;  // in the pair
  for (size_t s = 0; s < segments; ++s, runs += m) {
    const uint8_t* from[kPairRows];
    // Rows that do not exist have pointers of the first one, which are not
    // used.
    for (size_t i = 0; i < kPairRows; ++i) from[i] = runs[i < m ? i : 0];
    size_t k = 0;
    if (at == 0 && m == kPairRows) {
      for (; n - k >= 2 * kPairs; k += 2 * kPairs) {
        uint16x8x4_t pairs;
        for (size_t i = 0; i < kPairRows; ++i) {
          const uint8x16_t quantized = veorq_u8(vld1q_u8(from[i] + k), flip);
          pairs.val[i] = vreinterpretq_u16_u8(quantized);
          if (adds) vectors[i] = AddBytes(vectors[i], quantized);
        }
        vst4q_u16(reinterpret_cast<uint16_t*>(to), pairs);
        to += kPairRows * kPair * kPairs;
      }
    }
    for (; k < n; ++k) {
      for (size_t i = 0; i < m; ++i) {
        const auto value = static_cast<uint8_t>(from[i][k] ^ rows.flip);
        to[i * kPair + at] = value;
        rest[i] += static_cast<int8_t>(value);
      }
      if (++at < kPair) continue;
      at = 0;
      to += kPairRows * kPair;
    }
  }
  for (size_t i = 0; adds && i < m; ++i) {
    rows.sums[i] = Total(vectors[i]) + rest[i];
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_PAIRS_H_
