// Depthwise: one output for each channel. Input rows are copied once into lines
// that have the padding around them, in a ring that the window slides over.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/depthwise_scratch.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/prefetch.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kFilter, kStage, kY, kScratchSpace };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<DepthwiseParams>();
  if (!IsValid(p.h) || !IsValid(p.w) || !IsValid(p.y, p.is_signed) ||
      !IsWithin(p.batch, 1, kMaxExtent) ||
      !IsWithin(p.channels, 1, kMaxExtent) || !IsWithin(p.passes, 1, 2) ||
      !IsWithin(p.tile, 128, 2 * kMaxExtent) || p.tile % 128 != 0 ||
      !IsWithin(p.has_left_shifts, 0, 1) || p.h.kernel > 4 * kMaxRowGroups) {
    return kBadParameter;
  }
  const uint64_t blocks = RoundUp(p.channels, 128) / 128;
  const uint64_t rows = RoundUp(p.h.kernel, 4);
  const uint64_t taps = Times(rows, p.w.kernel, p.passes);
  const uint64_t pixels = Times(p.batch, p.h.out, p.w.out);
  if (node.bytes(kX) < Times(p.batch, p.h.in, p.w.in, p.channels) ||
      node.bytes(kFilter) < Times(blocks * 128, taps) ||
      node.bytes(kStage) < blocks * 4 * 384 ||
      node.bytes(kY) < Times(pixels, p.channels) ||
      node.bytes(kScratchSpace) <
          ScratchBytes(DepthwiseScratch(p).bytes(), node.slices)) {
    return kBadSize;
  }
  *work = Times(pixels, blocks * 128, taps);
  return kDspOk;
}

#if defined(__hexagon__)

struct Depthwise {
  const DepthwiseParams& p;
  const uint8_t* x;
  const uint8_t* filter;
  const int32_t* stage;
  uint8_t* y;
  int32_t* acc;
  uint8_t* lines;  // the first is the one outside
  int32_t line_bytes, channels, columns, ring;
  bool is_flat;
  uint64_t ring_inverse;  // 2^32 / ring, rounded up: exact for any row

  uint8_t* Line(int32_t row) const {
    if (row < 0 || row >= p.h.in) return lines;
    // row % ring, without a division.
    const auto turns =
        static_cast<int32_t>((static_cast<uint64_t>(row) * ring_inverse) >> 32);
    return lines + (1 + row - turns * ring) * line_bytes;
  }

  // The channels from `first` on.
  void LoadRow(int32_t image, int32_t row, int32_t first) const {
    uint8_t* to = Line(row) + p.w.pad * channels;
    const uint8_t* from =
        x + (image * p.h.in + row) * p.w.in * p.channels + first;
    const int32_t room = columns - p.w.pad;
    const int32_t n = p.w.in < room ? p.w.in : room;
    if (n <= 0) return;
    if (channels == p.channels) {
      CopyBytes(to, from, n * channels);  // what lies behind stays
      return;
    }
    const int32_t rest = p.channels - first;
    const int32_t bytes = rest < channels ? rest : channels;
    for (int32_t i = 0; i < n; ++i, to += channels, from += p.channels) {
      CopyLoosely(to, from, bytes);
    }
  }

  DepthwiseFunction* Choose() const {
    const bool is_signed = p.is_signed != 0;
    if (is_flat) {
      return is_signed ? mace_depthwise_flat_s8 : mace_depthwise_flat_u8;
    }
    if (p.h.kernel == 3 && p.w.kernel == 3 && p.w.dilation == 1 &&
        p.passes == 1) {
      if (p.w.stride == 1) {
        return is_signed ? mace_depthwise_3s1_s8 : mace_depthwise_3s1_u8;
      }
      if (p.w.stride == 2) {
        return is_signed ? mace_depthwise_3s2_s8 : mace_depthwise_3s2_u8;
      }
    }
    return is_signed ? mace_depthwise_any_s8 : mace_depthwise_any_u8;
  }

  RequantizeFunction* ChooseRequantize() const {
    if (p.has_left_shifts != 0) {
      return p.is_signed != 0 ? mace_requantize_any_s8 : mace_requantize_any_u8;
    }
    return p.is_signed != 0 ? mace_requantize_s8 : mace_requantize_u8;
  }

  // Sums of `vectors` vectors of the output, from byte `offset` of the lines
  // on. Returns how they become quantized values, but for their number and
  // their place.
  RequantizeArgs Convolve(int32_t offset, int32_t vectors, int32_t b,
                          const uint8_t* const* rows) const {
    const int32_t groups = (p.h.kernel + 3) / 4;
    const uint8_t* at[4 * kMaxRowGroups];
    for (int32_t i = 0; i < 4 * groups; ++i) at[i] = rows[i] + offset;
    DepthwiseArgs args;
    args.rows = at;
    args.row_groups = groups;
    args.columns = p.w.kernel;
    args.column_stride = p.w.dilation * channels;
    args.pixel_stride = is_flat ? 128 : p.w.stride * channels;
    args.pixels = vectors;
    args.passes = p.passes;
    args.w = filter + b * 128 * groups * 4 * p.w.kernel * p.passes;
    args.first = stage + b * 384;
    args.acc = acc;
    Choose()(args);
    RequantizeArgs scaling;
    scaling.acc = acc;
    scaling.acc_stride = 128;
    scaling.stage = stage + b * 384;
    scaling.stage_blocks = 4;
    scaling.zero_point = p.y.zero_point;
    scaling.least = p.y.least;
    scaling.most = p.y.most;
    return scaling;
  }

  // A vector of the output has several pixels of all channels: `begin` counts
  // vectors.
  void FlatStrip(int32_t begin, int32_t vectors, const uint8_t* const* rows,
                 uint8_t* to) const {
    const int32_t values = p.w.out * p.channels - begin * 128;
    const int32_t whole = values / 128 < vectors ? values / 128 : vectors;
    RequantizeArgs scaling = Convolve(begin * 128, vectors, 0, rows);
    scaling.groups = whole;
    scaling.y = to + begin * 128;
    scaling.y_stride = scaling.bytes = 128;
    if (whole > 0) ChooseRequantize()(scaling);
    if (whole == vectors) return;
    scaling.acc += whole * 128;
    scaling.y += whole * 128;
    scaling.groups = 1;
    scaling.bytes = values % 128;
    ChooseRequantize()(scaling);
  }

  // Output pixels from `begin` on of a row, channels of block `b`, which is
  // block `of_tile` of the lines.
  void Strip(int32_t begin, int32_t pixels, int32_t b, int32_t of_tile,
             const uint8_t* const* rows, uint8_t* to) const {
    RequantizeArgs scaling = Convolve(
        begin * p.w.stride * channels + of_tile * 128, pixels, b, rows);
    scaling.groups = pixels;
    scaling.y = to + begin * p.channels + b * 128;
    scaling.y_stride = p.channels;
    const int32_t left = p.channels - b * 128;
    scaling.bytes = left < 128 ? left : 128;
    ChooseRequantize()(scaling);
  }

  // The channels of the lines, from `first` on.
  void OutputRow(int32_t row, int32_t first, uint8_t* to) const {
    const uint8_t* rows[4 * kMaxRowGroups];
    const int32_t n = (p.h.kernel + 3) / 4 * 4;
    for (int32_t i = 0; i < n; ++i) {
      const int32_t tap = i < p.h.kernel ? i : p.h.kernel - 1;
      rows[i] = Line(Start(p.h, row) + tap * p.h.dilation);
    }
    if (is_flat) {
      const int32_t vectors = (p.w.out * p.channels + 127) / 128;
      for (int32_t v = 0; v < vectors; v += kStripPixels) {
        const int32_t left = vectors - v;
        FlatStrip(v, left < kStripPixels ? left : kStripPixels, rows, to);
      }
      return;
    }
    for (int32_t b = 0; b * 128 < channels && first + b * 128 < p.channels;
         ++b) {
      for (int32_t q = 0; q < p.w.out; q += kStripPixels) {
        const int32_t left = p.w.out - q;
        Strip(q, left < kStripPixels ? left : kStripPixels, first / 128 + b, b,
              rows, to);
      }
    }
  }

  // Units are rows of y of a tile of channels, tile by tile.
  int32_t units() const { return tiles() * p.batch * p.h.out; }
  int32_t tiles() const {
    return is_flat ? 1 : (p.channels + channels - 1) / channels;
  }

  void Run(const Share& share) const {
    const Vec outside = SplatByte(p.x_zero_point);
    for (int32_t i = 0; i < (ring + 1) * line_bytes; i += kVec) {
      Store(lines + i, outside);
    }
    const int32_t rows_of_tile = p.batch * p.h.out;
    int32_t tile = share.begin / rows_of_tile;
    int32_t at = share.begin - tile * rows_of_tile;
    int32_t image = at / p.h.out;
    int32_t row = at - image * p.h.out;
    int32_t loaded = 0;  // rows before it are in the ring, or were
    for (int32_t i = share.begin; i < share.end; ++i, ++row, ++at) {
      if (row == p.h.out) {
        row = loaded = 0;
        ++image;
      }
      if (image == p.batch) {
        image = at = 0;
        ++tile;
      }
      const int32_t first = Start(p.h, row);
      int32_t end = first + ring;
      if (end > p.h.in) end = p.h.in;
      if (loaded < first) loaded = first;
      for (; loaded < end; ++loaded) LoadRow(image, loaded, tile * channels);
      PrefetchRows(image, end);
      OutputRow(row, tile * channels, y + at * p.w.out * p.channels);
    }
  }

  // The rows of x that the next row of y needs besides.
  void PrefetchRows(int32_t image, int32_t row) const {
    const int32_t left = p.h.in - row;
    const int32_t n = left < p.h.stride ? left : p.h.stride;
    const int32_t row_bytes = p.w.in * p.channels;
    if (n > 0) Prefetch(x + (image * p.h.in + row) * row_bytes, n * row_bytes);
  }
};

void Run(const NodeView& node) {
  const auto& p = node.get<DepthwiseParams>();
  const DepthwiseScratch scratch(p);
  uint8_t* space = node.scratch(kScratchSpace, scratch.bytes());
  const Depthwise depthwise = {p,
                               node.data(kX),
                               node.data(kFilter),
                               node.as<const int32_t>(kStage),
                               node.data(kY),
                               reinterpret_cast<int32_t*>(space),
                               space + scratch.acc_bytes(),
                               static_cast<int32_t>(scratch.line_bytes()),
                               static_cast<int32_t>(scratch.channels),
                               static_cast<int32_t>(scratch.columns),
                               static_cast<int32_t>(scratch.lines),
                               scratch.is_flat,
                               ((uint64_t{1} << 32) + scratch.lines - 1) /
                                   static_cast<uint32_t>(scratch.lines)};
  const Share share = node.ShareOf(depthwise.units());
  if (share.begin < share.end) depthwise.Run(share);
}

#endif

}  // namespace

extern const OpDef kDepthwiseOp;
const OpDef kDepthwiseOp = {
    3, 1, 1, sizeof(DepthwiseParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
