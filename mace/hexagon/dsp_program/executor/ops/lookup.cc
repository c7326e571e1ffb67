// Lookup: any function of one quantized value, as a table of 256 bytes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/lookup.h"
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

void Run(const NodeView& node) {
  const int32_t n = node.get<LookupParams>().bytes;
  const Share share = node.ShareOf((n + kVec - 1) / kVec);
  const uint8_t* x = node.data(kX);
  uint8_t* y = node.data(kY);
  const ByteTable table = LoadTable(node.data(kTable));
  for (int32_t i = share.begin * kVec; i < share.end * kVec; i += kVec) {
    const Vec values = LookUp(Load(x + i), table);
    if (i + kVec <= n) {
      Store(y + i, values);
    } else {
      StoreBytes(y + i, values, n - i);
    }
  }
}

#endif

}  // namespace

extern const OpDef kLookupOp;
const OpDef kLookupOp = {
    2, 1, 0, sizeof(LookupParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
