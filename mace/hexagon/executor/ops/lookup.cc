// Lookup: any function of one code, as a table of 256 bytes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/executor/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kTable, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<LookupParams>();
  if (p.bytes < 1) return kBadParameter;
  const auto bytes = static_cast<uint32_t>(p.bytes);
  if (node.bytes(kX) < bytes || node.bytes(kTable) < 256 ||
      node.bytes(kY) < bytes) {
    return kBadSize;
  }
  *work = bytes;
  return kDspOk;
}

#if defined(__hexagon__)

// vlut32 reads the entries of a vector's halves in turns.
Vec InTurns(const uint8_t* entries) {
  const Vec v = Load(entries);
  return Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_vror_VR(v, 64), v, -1));
}

Vec LookUp(Vec at, Vec low, Vec high) {
  Vec y = Q6_Vb_vlut32_VbVbR(at, low, 0);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, low, 1);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, low, 2);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, low, 3);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, high, 4);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, high, 5);
  y = Q6_Vb_vlut32or_VbVbVbR(y, at, high, 6);
  return Q6_Vb_vlut32or_VbVbVbR(y, at, high, 7);
}

void Run(const NodeView& node) {
  const int32_t n = node.get<LookupParams>().bytes;
  const uint8_t* x = node.data(kX);
  const uint8_t* table = node.data(kTable);
  uint8_t* y = node.data(kY);
  const Vec low = InTurns(table), high = InTurns(table + kVec);
  int32_t i = 0;
  for (; i + kVec <= n; i += kVec) Store(y + i, LookUp(Load(x + i), low, high));
  if (i < n) StoreBytes(y + i, LookUp(Load(x + i), low, high), n - i);
}

#endif

}  // namespace

extern const OpDef kLookupOp;
const OpDef kLookupOp = {
    2, 1, 0, sizeof(LookupParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
