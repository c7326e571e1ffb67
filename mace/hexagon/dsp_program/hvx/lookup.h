// Tables of 256 bytes, and of 256 words, indexed by the quantized values of a
// vector.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_
#define MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_

#include "mace/hexagon/dsp_program/hvx/hvx.h"

namespace mace::hexagon {

// As vlut32 reads it: the entries of a vector's halves in turns.
struct ByteTable {
  Vec low, high;
};

MACE_HVX_INLINE Vec InTurns(const uint8_t* entries) {
  const Vec v = Load(entries);
  return Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_vror_VR(v, 64), v, -1));
}

// `entries` has 256 bytes and is aligned to 128.
MACE_HVX_INLINE ByteTable LoadTable(const uint8_t* entries) {
  return {InTurns(entries), InTurns(entries + kVec)};
}

MACE_HVX_INLINE Vec LookUp(Vec at, const ByteTable& table) {
  Vec y = Q6_Vb_vlut32_VbVbR(at, table.low, 0);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.low, 1);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.low, 2);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.low, 3);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.high, 4);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.high, 5);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, table.high, 6);
  return Q6_Vb_vlut32or_VbVbVbR(y, at, table.high, 7);
}

// 256 words as four tables, of their lowest bytes, and so on.
struct WordTable {
  ByteTable plane[4];
};

MACE_HVX_INLINE WordTable LoadWordTable(const uint8_t* planes) {
  return {{LoadTable(planes), LoadTable(planes + 256), LoadTable(planes + 512),
           LoadTable(planes + 768)}};
}

MACE_HVX_INLINE Words LookUp(Vec at, const WordTable& table) {
  return Interleave(LookUp(at, table.plane[0]), LookUp(at, table.plane[1]),
                    LookUp(at, table.plane[2]), LookUp(at, table.plane[3]));
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_
