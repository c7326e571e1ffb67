// Quantize: floats to quantized values, with the arithmetic of integers. An
// estimate in fixed point is off by one at most; a table of the least float of
// each quantized value, which the host computes, decides.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/lookup.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kLimits, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<QuantizeParams>();
  if (!IsWithin(p.n, 1, 1 << 28) || p.inverse.mantissa < 0 ||
      !IsWithin(p.inverse.exponent, -128, 128) || !IsValid(p.y, p.is_signed)) {
    return kBadParameter;
  }
  const uint64_t n = Times(p.n, 1);
  if (node.bytes(kX) < 4 * n || node.bytes(kLimits) < 1024 ||
      node.bytes(kY) < n) {
    return kBadSize;
  }
  *work = 4 * n;
  return kDspOk;
}

#if defined(__hexagon__)

constexpr int kBits = 16;  // fraction bits of estimates

struct Quantizer {
  explicit Quantizer(const QuantizeParams& params)
      : inverse(SplatWord(params.inverse.mantissa)),
        // |x| = m * 2^(e - 150) with 24 bits of m, which go 7 bits up.
        bias(SplatWord(157 - kBits - params.inverse.exponent)),
        zero_point(SplatHalf(params.y.zero_point)),
        least(SplatByte(params.y.least)),
        most(SplatByte(params.y.most)),
        is_signed(params.is_signed != 0) {}

  // The largest number of scales that |x| may hold, at most 255.
  Vec Estimate(Vec size) const {
    const Vec exponent = Q6_Vuw_vlsr_VuwR(size, 23);
    const Vec fraction = Q6_V_vor_VV(Q6_V_vand_VV(size, SplatWord(0x7fffff)),
                                     SplatWord(0x800000));
    const Vec product = MultiplyHigh(Q6_Vw_vasl_VwR(fraction, 7), inverse);
    Vec shift = Q6_Vw_vsub_VwVw(bias, exponent);
    shift =
        Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(shift, Q6_V_vzero()), SplatWord(31));
    // In 2^-16, with a little more than a half added: never too small.
    const Vec units = Q6_Vw_vmin_VwVw(Q6_Vw_vasr_VwVw(product, shift),
                                      SplatWord(256 << kBits));
    constexpr int32_t kHalf = 1 << (kBits - 1), kMargin = 1 << (kBits - 8);
    return Q6_Vw_vmin_VwVw(
        Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(units, SplatWord(kHalf + kMargin)),
                       kBits),
        SplatWord(255));
  }

  Vec Requantized(const Vec* x, const WordTable& limits) const {
    Vec size[4], units[4];
    for (int b = 0; b < 4; ++b) {
      size[b] = Q6_V_vand_VV(x[b], SplatWord(0x7fffffff));
      units[b] = Estimate(size[b]);
    }
    const Vec bytes = Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(units[3], units[2]),
                                        Q6_Vh_vpacke_VwVw(units[1], units[0]));
    const Words limit = LookUp(bytes, limits);
    Words values;
    for (int b = 0; b < 4; ++b) {
      const Vec found = Q6_Vw_condnac_QVwVw(
          Q6_Q_vcmp_gt_VwVw(limit.w[b], size[b]), units[b], SplatWord(1));
      const Vec sign = Q6_Vw_vasr_VwR(x[b], 31);
      const Vec signed_units = Q6_Vw_vsub_VwVw(Q6_V_vxor_VV(found, sign), sign);
      // What is no number becomes the least quantized value.
      values.w[b] =
          Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(size[b], SplatWord(0x7f800000)),
                        SplatWord(-1024), signed_units);
    }
    return Pack(values, is_signed, zero_point, least, most);
  }

  Vec inverse, bias, zero_point, least, most;
  bool is_signed;
};

void Run(const NodeView& node) {
  const auto& p = node.get<QuantizeParams>();
  const Quantizer quantize(p);
  const WordTable limits = LoadWordTable(node.data(kLimits));
  const auto* x = node.as<const Vec>(kX);
  uint8_t* y = node.data(kY);
  const Share share = node.ShareOf((p.n + kVec - 1) / kVec);
  for (int32_t i = share.begin; i < share.end; ++i) {
    const int32_t left = p.n - i * kVec;
    Vec part[4];
    for (int b = 0; b < 4; ++b) {  // none that begins behind the end
      part[b] = b * 32 < left ? x[i * 4 + b] : Q6_V_vzero();
    }
    StoreBytes(y + i * kVec, quantize.Requantized(part, limits),
               left < kVec ? left : kVec);
  }
}

#endif

}  // namespace

extern const OpDef kQuantizeOp;
const OpDef kQuantizeOp = {
    2, 1, 0, sizeof(QuantizeParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
