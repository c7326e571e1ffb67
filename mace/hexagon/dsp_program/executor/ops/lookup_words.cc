// LookupWords: a word for each quantized value, as a table of 256; dequantizes.
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
  const auto& p = node.get<LookupWordsParams>();
  if (!IsWithin(p.n, 1, 1 << 28)) return kBadParameter;
  const uint64_t n = Times(p.n, 1);
  if (node.bytes(kX) < n || node.bytes(kTable) < 1024 ||
      node.bytes(kY) < 4 * n) {
    return kBadSize;
  }
  *work = 4 * n;
  return kDspOk;
}

#if defined(__hexagon__)

void Run(const NodeView& node) {
  const int32_t n = node.get<LookupWordsParams>().n;
  const WordTable table = LoadWordTable(node.data(kTable));
  const uint8_t* x = node.data(kX);
  uint8_t* y = node.data(kY);
  const Share share = node.ShareOf((n + kVec - 1) / kVec);
  for (int32_t i = share.begin; i < share.end; ++i) {
    const Words words = LookUp(Load(x + i * kVec), table);
    for (int b = 0; b < 4; ++b) {
      const int32_t at = i * kVec + b * 32, left = (n - at) * 4;
      if (left > 0)
        StoreBytes(y + at * 4, words.w[b], left < kVec ? left : kVec);
    }
  }
}

#endif

}  // namespace

extern const OpDef kLookupWordsOp;
const OpDef kLookupWordsOp = {
    2, 1, 0, sizeof(LookupWordsParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
