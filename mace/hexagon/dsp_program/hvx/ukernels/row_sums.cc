// Sums of the quantized values of rows, which stand for the offset of unsigned
// filters.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"

namespace mace::hexagon {
namespace {

template <bool kSigned>
MACE_HVX_INLINE Vec AddQuantized(Vec sum, Vec values, Vec ones) {
  return kSigned ? Q6_Vw_vrmpyacc_VwVbVb(sum, values, ones)
                 : Q6_Vuw_vrmpyacc_VuwVubVub(sum, values, ones);
}

// Adds each lane's share of eight rows.
template <bool kSigned>
MACE_HVX_INLINE void AddEight(const uint8_t* x, int32_t x_stride, Vec ones,
                              Vec* rows) {
#pragma unroll
  for (int r = 0; r < 8; ++r, x += x_stride) {
    rows[r] = AddQuantized<kSigned>(rows[r], LoadUnaligned(x), ones);
  }
}

// Of a's and b's lanes in turns of `bytes` bytes: each the sum of two.
MACE_HVX_INLINE Vec Join(Vec a, Vec b, int32_t bytes) {
  const VecPair both = Q6_W_vshuff_VVR(b, a, -bytes);
  return Q6_Vw_vadd_VwVw(Q6_V_lo_W(both), Q6_V_hi_W(both));
}

template <bool kSigned>
MACE_HVX_INLINE void Sums(const uint8_t* x, int32_t x_stride, int32_t count,
                          int32_t depth, int32_t offset, int32_t* sums) {
  const Vec ones = SplatByte(1);
  Vec eights[4];
  for (int e = count >> 3; e < 4; ++e) eights[e] = Q6_V_vzero();
  for (int e = 0; e < count >> 3; ++e, x += 8 * x_stride) {
    Vec rows[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) rows[r] = Q6_V_vzero();
    const uint8_t* at = x;
    int32_t left = depth;
    for (; left >= kVec; left -= kVec, at += kVec) {
      AddEight<kSigned>(at, x_stride, ones, rows);
    }
    if (left > 0) {
      AddEight<kSigned>(at, x_stride, Q6_V_vand_QV(Q6_Q_vsetq_R(left), ones),
                        rows);
    }
#pragma unroll
    for (int r = 0; r < 8; r += 2) rows[r] = Join(rows[r], rows[r + 1], 4);
#pragma unroll
    for (int r = 0; r < 8; r += 4) rows[r] = Join(rows[r], rows[r + 2], 8);
    eights[e] = Join(rows[0], rows[4], 16);
  }
  const Vec all =
      Join(Join(eights[0], eights[1], 32), Join(eights[2], eights[3], 32), 64);
  Store(sums, Q6_Vw_vmpyi_VwRh(all, (-offset & 0xffff) * 0x10001));
}

}  // namespace

extern "C" void mace_row_sums(const uint8_t* x, int32_t x_stride, int32_t rows,
                              int32_t depth, int32_t offset, int32_t is_signed,
                              int32_t* sums) {
  if (is_signed != 0) {
    Sums<true>(x, x_stride, rows, depth, offset, sums);
  } else {
    Sums<false>(x, x_stride, rows, depth, offset, sums);
  }
}

}  // namespace mace::hexagon
