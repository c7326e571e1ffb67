// Pool: the largest quantized value of a window, or their mean, rounded half
// away from zero.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<PoolParams>();
  const OutputRange y = {p.is_signed != 0 ? -128 : 0, p.least, p.most};
  if (!IsValid(p.h) || !IsValid(p.w) || !IsValid(y, p.is_signed) ||
      !IsWithin(p.batch, 1, kMaxExtent) ||
      !IsWithin(p.channels, 1, kMaxExtent) || !IsWithin(p.is_max, 0, 1)) {
    return kBadParameter;
  }
  const uint64_t pixels = Times(p.batch, p.h.out, p.w.out);
  if (node.bytes(kX) < Times(p.batch, p.h.in, p.w.in, p.channels) ||
      node.bytes(kY) < Times(pixels, p.channels)) {
    return kBadSize;
  }
  *work = Times(pixels, RoundUp(p.channels, 128), p.h.kernel, p.w.kernel);
  return kDspOk;
}

#if defined(__hexagon__)

// The taps of a window that lie inside.
struct Taps {
  int32_t first = 0, count = 0;  // position of the first one
};
Taps TapsInside(const WindowParams& w, int32_t at) {
  const int32_t start = Start(w, at);
  int32_t begin = 0, end = w.kernel;
  while (begin < end && start + begin * w.dilation < 0) ++begin;
  while (end > begin && start + (end - 1) * w.dilation >= w.in) --end;
  return {start + begin * w.dilation, end - begin};
}

// Sums / n, rounded half away from zero, for |sum| <= 255 * n < 2^30.
struct Divider {
  explicit Divider(int32_t divisor)
      : n(divisor), bits(31 - __builtin_clz(divisor)) {
    inverse = static_cast<int32_t>((uint64_t{1} << (30 + bits)) /
                                   static_cast<uint32_t>(n));
  }
  Vec operator()(Vec sum) const {
    if (n == 1) return sum;
    const Vec zero = Q6_V_vzero(), one = SplatWord(1);
    const Vec x = Q6_Vw_vadd_VwVw(Q6_Vw_vabs_Vw(sum), SplatWord(n / 2));
    // An estimate that is off by one at most, and its correction.
    Vec q = Q6_Vw_vasr_VwR(MultiplyHigh(x, SplatWord(inverse)), bits - 1);
    const Vec rest = Q6_Vw_vsub_VwVw(x, MultiplyLow(q, SplatWord(n)));
    q = Q6_Vw_condnac_QVwVw(Q6_Q_vcmp_gt_VwVw(zero, rest), q, one);
    q = Q6_Vw_condacc_QVwVw(Q6_Q_vcmp_gt_VwVw(rest, SplatWord(n - 1)), q, one);
    return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(zero, sum), Q6_Vw_vsub_VwVw(zero, q),
                         q);
  }
  int32_t n, bits;
  int32_t inverse;  // 2^(30 + bits) / n
};

struct Pooling {
  const PoolParams& p;
  const uint8_t* x;
  uint8_t* y;

  void Channels(const uint8_t* from, const Taps& rows, const Taps& columns,
                uint8_t* to, int32_t n) const {
    const bool is_signed = p.is_signed != 0;
    const Vec flip = SplatByte(is_signed ? 0x80 : 0);
    const int32_t row_step = p.h.dilation * p.w.in * p.channels;
    const int32_t column_step = p.w.dilation * p.channels;
    Vec most = Q6_V_vzero();  // of quantized values as unsigned bytes
    Words sum = {{most, most, most, most}};
    for (int32_t r = 0; r < rows.count; ++r, from += row_step) {
      const uint8_t* at = from;
      for (int32_t c = 0; c < columns.count; ++c, at += column_step) {
        const Vec values = LoadUnaligned(at);
        if (p.is_max != 0) {
          most = Q6_Vub_vmax_VubVub(most, Q6_V_vxor_VV(values, flip));
          continue;
        }
        const Words wide = Widen(values, is_signed);
        for (int b = 0; b < 4; ++b)
          sum.w[b] = Q6_Vw_vadd_VwVw(sum.w[b], wide.w[b]);
      }
    }
    const Vec least = SplatByte(p.least), top = SplatByte(p.most);
    if (p.is_max != 0) {
      sum = Widen(Q6_V_vxor_VV(most, flip), is_signed);
    } else {
      const int32_t count = rows.count * columns.count;
      const Divider divide(count > 0 ? count : 1);
      for (int b = 0; b < 4; ++b) sum.w[b] = divide(sum.w[b]);
    }
    StoreBytes(to, Pack(sum, is_signed, Q6_V_vzero(), least, top), n);
  }

  int32_t blocks() const { return (p.channels + kVec - 1) / kVec; }
  // Rows of each block of 128 channels.
  int32_t units() const { return p.batch * p.h.out * blocks(); }

  void Run(const Share& share) const {
    for (int32_t unit = share.begin; unit < share.end; ++unit) {
      const int32_t line = unit / blocks(), c = (unit % blocks()) * kVec;
      const int32_t image = line / p.h.out;
      const Taps rows = TapsInside(p.h, line - image * p.h.out);
      const int32_t left = p.channels - c, n = left < kVec ? left : kVec;
      const uint8_t* first =
          x + (image * p.h.in + rows.first) * p.w.in * p.channels + c;
      uint8_t* to = y + line * p.w.out * p.channels + c;
      for (int32_t q = 0; q < p.w.out; ++q, to += p.channels) {
        const Taps columns = TapsInside(p.w, q);
        Channels(first + columns.first * p.channels, rows, columns, to, n);
      }
    }
  }
};

void Run(const NodeView& node) {
  const Pooling pooling = {node.get<PoolParams>(), node.data(kX),
                           node.data(kY)};
  pooling.Run(node.ShareOf(pooling.units()));
}

#endif

}  // namespace

extern const OpDef kPoolOp;
const OpDef kPoolOp = {
    1, 1, 0, sizeof(PoolParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
