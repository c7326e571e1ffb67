// Softmax: along the last axis, with the exponentials of all differences of
// quantized values from a table. A byte table of each row's results follows
// from it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/fixed_reciprocal.h"
#include "mace/hexagon/protocol/window.h"

namespace mace::hexagon {
namespace {

enum Operand { kX, kTable, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<SoftmaxParams>();
  if (!IsWithin(p.rows, 1, 1 << 28) || !IsWithin(p.n, 1, 4095) ||
      !IsWithin(p.least_difference, -256, 0) || !IsWithin(p.is_signed, 0, 1)) {
    return kBadParameter;
  }
  const uint64_t elements = Times(p.rows, p.n);
  if (node.bytes(kX) < elements || node.bytes(kTable) < 1024 ||
      node.bytes(kY) < elements) {
    return kBadSize;
  }
  *work = Times(elements, 64);
  return kDspOk;
}

#if defined(__hexagon__)

constexpr int kSumBits = 12;
constexpr int kOutputBits = 8;

void Row(const SoftmaxParams& p, const int32_t* exps, const uint8_t* x,
         uint8_t* y) {
  const int32_t flip = p.is_signed != 0 ? 0x80 : 0;
  int32_t most = 0;
  for (int32_t i = 0; i < p.n; ++i) {
    const int32_t value = x[i] ^ flip;
    if (value > most) most = value;
  }
  const int32_t reach = -p.least_difference;
  int32_t sum = 0;
  for (int32_t i = 0; i < p.n; ++i) {
    const int32_t below = most - (x[i] ^ flip);
    if (below <= reach) sum += ScalarRoundingShift(exps[below & 255], kSumBits);
  }
  const ScalarReciprocal scale = FindReciprocal(sum < 1 ? 1 : sum, kSumBits);
  int32_t shift = scale.bits_over_unit + 31 - kOutputBits;
  if (shift < 0) shift = 0;
  // Of each difference up to the largest.
  uint8_t values[256];
  int32_t last = most < reach ? most : reach;
  // Shares of a sum of 512 or more are all below half of a step.
  if (shift > 31) last = -1;
  for (int32_t d = 0; d < 256; ++d) {
    int32_t value = 0;
    if (d <= last) {
      const int32_t share = ScalarMultiplyHigh(scale.fraction, exps[d]);
      value = ScalarRoundingShift(share, shift);
      if (value > 255) value = 255;
      if (value < 0) value = 0;
    }
    values[d] = static_cast<uint8_t>(value ^ flip);
  }
  for (int32_t i = 0; i < p.n; ++i) y[i] = values[most - (x[i] ^ flip)];
}

void Run(const NodeView& node) {
  const auto& p = node.get<SoftmaxParams>();
  const Share share = node.ShareOf(p.rows);
  const uint8_t* x = node.data(kX) + share.begin * p.n;
  uint8_t* y = node.data(kY) + share.begin * p.n;
  for (int32_t r = share.begin; r < share.end; ++r, x += p.n, y += p.n) {
    Row(p, node.as<const int32_t>(kTable), x, y);
  }
}

#endif

}  // namespace

extern const OpDef kSoftmaxOp;
const OpDef kSoftmaxOp = {
    2, 1, 0, sizeof(SoftmaxParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
