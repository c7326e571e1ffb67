// Tables of 256 bytes, and of 256 words, indexed by the quantized values of a
// vector.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_
#define MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_

#include "mace/hexagon/dsp_program/hvx/hvx.h"

namespace mace::hexagon {

// 256 bytes as vlut32 reads them: a call looks up 32 entries, numbered by its
// third operand, in one of two interleaved halves of a vector.
//
//   byte of `low`:  0   1    2   3    4   5   ...  126  127
//   entry:          0   64   1   65   2   66  ...   63  127
//
// `high` has entries 128 to 255 in the same order. Source: Hexagon V66 HVX
// Programmer's Reference Manual, "Vector in-lane lookup table".
struct ByteTable {
  Vec low, high;
};

// 128 entries at an aligned address, in the order of ByteTable.
MACE_HVX_INLINE Vec InTurns(const uint8_t* entries) {
  const Vec v = Load(entries);
  return Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_vror_VR(v, 64), v, -1));
}

// Loads a table: `entries` has 256 bytes and is aligned to 128.
MACE_HVX_INLINE ByteTable LoadTable(const uint8_t* entries) {
  return {InTurns(entries), InTurns(entries + kVec)};
}

// entries[at[i]] for each of 128 bytes, which are unsigned indices. vlut32
// gives 0 for bytes outside of its 32 entries, so the eight results are
// combined by or.
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

// 256 words as four tables of bytes: plane k has byte k of each word, the
// lowest first.
struct WordTable {
  ByteTable plane[4];
};

// `planes` has four planes of 256 bytes, and is aligned to 128. The table takes
// eight vectors.
MACE_HVX_INLINE WordTable LoadWordTable(const uint8_t* planes) {
  return {{LoadTable(planes), LoadTable(planes + 256), LoadTable(planes + 512),
           LoadTable(planes + 768)}};
}

// words[at[i]] for each of 128 bytes, in the order of Words.
MACE_HVX_INLINE Words LookUp(Vec at, const WordTable& table) {
  return Interleave(LookUp(at, table.plane[0]), LookUp(at, table.plane[1]),
                    LookUp(at, table.plane[2]), LookUp(at, table.plane[3]));
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_HVX_LOOKUP_H_
