// Conv: any window, stride, dilation and groups; rows of products by vrmpy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/conv_scratch.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/executor/product.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kFilter, kStage, kY, kScratchSpace };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<ConvParams>();
  if (!IsValid(p.h) || !IsValid(p.w) || !IsValid(p.y, p.is_signed) ||
      !IsWithin(p.batch, 1, kMaxExtent) || !IsWithin(p.groups, 1, kMaxExtent) ||
      !IsWithin(p.in_per_group, 1, kMaxExtent) ||
      !IsWithin(p.out_per_group, 1, kMaxExtent) ||
      !IsWithin(p.filter_offset, 0, 255) ||
      !IsWithin(p.has_left_shifts, 0, 1) || !IsWithin(p.rounds_once, 0, 1) ||
      (p.rows != 8 && p.rows != 16 && p.rows != kConvRows)) {
    return kBadParameter;
  }
  const uint64_t taps = Times(p.h.kernel, p.w.kernel);
  const uint64_t depth = RoundUp(Times(taps, p.in_per_group), 8);
  if (depth > kMaxConvDepth || depth != static_cast<uint64_t>(p.depth)) {
    return kBadParameter;
  }
  const uint64_t in = Times(p.groups, p.in_per_group);
  const uint64_t out = Times(p.groups, p.out_per_group);
  const uint64_t blocks = p.groups * RoundUp(p.out_per_group, 32) / 32;
  const uint64_t pixels = Times(p.batch, p.h.out, p.w.out);
  if (node.bytes(kX) < Times(p.batch, p.h.in, p.w.in, in) ||
      node.bytes(kFilter) < Times(blocks, 32 * depth) ||
      node.bytes(kStage) < Times(blocks, 384) ||
      node.bytes(kY) < Times(pixels, out) ||
      node.bytes(kScratchSpace) <
          ScratchBytes(ConvScratchBytes(p.rows, p.depth), node.slices)) {
    return kBadSize;
  }
  *work = Times(pixels + kConvRows, blocks * 32, depth);
  return kDspOk;
}

#if defined(__hexagon__)

struct Pixel {
  int32_t image = 0, row = 0, column = 0;

  void Next(const ConvParams& p) {
    if (++column < p.w.out) return;
    column = 0;
    if (++row < p.h.out) return;
    row = 0;
    ++image;
  }
};

struct Convolution {
  const ConvParams& p;
  const uint8_t* x;
  const uint8_t* filter;
  const int32_t* stage;
  uint8_t* y;
  ConvScratch scratch;
  Product product;

  // Where the filter of a unit of outputs begins.
  const uint8_t* FilterOf(int32_t unit) const {
    const int32_t blocks = (p.out_per_group + 31) / 32;
    const int32_t group = unit / UnitsOfGroup(p);
    const int32_t b = unit % UnitsOfGroup(p) * 4;
    return filter + (group * blocks + b) * 32 * p.depth;
  }

  bool needs_patches() const {
    return p.h.kernel != 1 || p.w.kernel != 1 || p.h.stride != 1 ||
           p.w.stride != 1 || p.h.pad != 0 || p.w.pad != 0 ||
           p.h.in != p.h.out || p.w.in != p.w.out || p.groups != 1 ||
           p.depth != p.in_per_group;
  }

  // Writes a row of the window; returns the end.
  uint8_t* PatchRow(const uint8_t* row, int32_t start, uint8_t* to) const {
    const int32_t n = p.in_per_group, in = p.groups * n;
    if (p.w.dilation == 1 && p.groups == 1 && start >= 0 &&
        start + p.w.kernel <= p.w.in) {
      CopyLoosely(to, row + start * in, p.w.kernel * n);
      return to + p.w.kernel * n;
    }
    const Vec outside = SplatByte(p.x_zero_point);
    for (int32_t c = 0; c < p.w.kernel; ++c, to += n) {
      const int32_t at = start + c * p.w.dilation;
      if (at >= 0 && at < p.w.in) {
        CopyLoosely(to, row + at * in, n);
      } else {
        for (int32_t i = 0; i < n; i += kVec) StoreUnaligned(to + i, outside);
      }
    }
    return to;
  }

  void Patch(const Pixel& pixel, int32_t group, uint8_t* to) const {
    const int32_t in = p.groups * p.in_per_group;
    const Vec outside = SplatByte(p.x_zero_point);
    const int32_t column = Start(p.w, pixel.column);
    for (int32_t r = 0; r < p.h.kernel; ++r) {
      const int32_t at = Start(p.h, pixel.row) + r * p.h.dilation;
      if (at >= 0 && at < p.h.in) {
        const uint8_t* row = x + ((pixel.image * p.h.in + at) * p.w.in) * in;
        to = PatchRow(row + group * p.in_per_group, column, to);
        continue;
      }
      const int32_t n = p.w.kernel * p.in_per_group;
      for (int32_t i = 0; i < n; i += kVec) StoreUnaligned(to + i, outside);
      to += n;
    }
  }

  // Outputs of the units of `share` in a group: up to 128 outputs each.
  void Outputs(const uint8_t* rows_of_x, int32_t rows, int32_t group,
               const Share& share, uint8_t* to) const {
    const int32_t blocks = (p.out_per_group + 31) / 32;
    for (int32_t b = share.begin * 4; b < blocks && b < share.end * 4; b += 4) {
      const int32_t at = group * blocks + b;
      const int32_t left = p.out_per_group - b * 32;
      product.Block(rows_of_x, rows, filter + at * 32 * p.depth,
                    stage + at * 96, left < 128 ? left : 128,
                    to + group * p.out_per_group + b * 32);
    }
  }

  // The windows of `n` pixels of a row that lie inside, of one run a row.
  // kRows: those of the window, or 0 for any number.
  template <int kRows>
  void InnerPatches(const Pixel& pixel, int32_t n, uint8_t* to) const {
    const int32_t in = p.in_per_group, run = p.w.kernel * in;
    const int32_t depth = p.depth, pixel_step = p.w.stride * in;
    const int32_t row_step = p.h.dilation * p.w.in * in;
    const uint8_t* from =
        x + ((pixel.image * p.h.in + Start(p.h, pixel.row)) * p.w.in +
             Start(p.w, pixel.column)) *
                in;
    for (int32_t i = 0; i < n; ++i, from += pixel_step, to += depth) {
      const uint8_t* row = from;
      uint8_t* at = to;
      if (kRows > 0) {
        Vec values[kRows > 0 ? kRows : 1];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          values[r] = LoadUnaligned(row + r * row_step);
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) StoreUnaligned(at + r * run, values[r]);
        continue;
      }
      for (int32_t r = p.h.kernel; r > 0; --r, row += row_step, at += run) {
        StoreUnaligned(at, LoadUnaligned(row));
      }
    }
  }

  // How many pixels from `pixel` on, of its row and of at most `most`,
  // InnerPatches takes.
  int32_t CountInner(const Pixel& pixel, int32_t most) const {
    if (p.groups != 1 || p.w.dilation != 1 ||
        p.w.kernel * p.in_per_group > kVec) {
      return 0;
    }
    const int32_t row = Start(p.h, pixel.row);
    const int32_t column = Start(p.w, pixel.column);
    const int32_t room = p.w.in - p.w.kernel - column;
    if (row < 0 || row + (p.h.kernel - 1) * p.h.dilation >= p.h.in ||
        column < 0 || room < 0) {
      return 0;
    }
    int32_t n = room / p.w.stride + 1;
    if (n > p.w.out - pixel.column) n = p.w.out - pixel.column;
    return n < most ? n : most;
  }

  // Patches of `rows` pixels; returns the pixel behind them.
  Pixel Patches(Pixel pixel, int32_t rows, int32_t group) const {
    uint8_t* to = scratch.patches;
    for (int32_t r = 0; r < rows;) {
      const int32_t inner = CountInner(pixel, rows - r);
      if (inner > 0) {
        if (p.h.kernel == 3) {
          InnerPatches<3>(pixel, inner, to);
        } else {
          InnerPatches<0>(pixel, inner, to);
        }
        pixel.column += inner - 1;
      } else {
        Patch(pixel, group, to);
      }
      const int32_t done = inner > 0 ? inner : 1;
      to += done * p.depth;
      r += done;
      pixel.Next(p);
    }
    return pixel;
  }

  Pixel PixelAt(int32_t at) const {
    const int32_t row = at / p.w.out;
    return {row / p.h.out, row % p.h.out, at - row * p.w.out};
  }

  // The units of `outputs`, 128 outputs or less each, of the pixels of
  // `blocks`, p.rows each.
  void Run(const Share& blocks, const Share& outputs) const {
    const int32_t pixels = p.batch * p.h.out * p.w.out;
    const bool always = needs_patches();
    const int32_t out = p.groups * p.out_per_group;
    const int32_t units = UnitsOfGroup(p);
    Pixel pixel = PixelAt(blocks.begin * p.rows);
    for (int32_t block = blocks.begin; block < blocks.end; ++block) {
      const int32_t begin = block * p.rows, left = pixels - begin;
      const int32_t rows = left < p.rows ? left : p.rows;
      Pixel next = pixel;
      for (int32_t at = outputs.begin; at < outputs.end;) {
        const int32_t g = at / units, first = g * units;
        const int32_t end =
            outputs.end < first + units ? outputs.end : first + units;
        const uint8_t* from = scratch.patches;
        if (always) {
          next = Patches(pixel, rows, g);
        } else if (rows == p.rows) {
          from = x + begin * p.depth;
          PrefetchRows(from, left);
        } else {  // kernels read rows in full groups
          CopyLoosely(scratch.patches, x + begin * p.depth, rows * p.depth);
        }
        mace_row_sums(from, p.depth, p.rows, p.depth, p.filter_offset,
                      p.is_signed, scratch.sums);
        Outputs(from, rows, g, {at - first, end - first}, y + begin * out);
        at = end;
      }
      pixel = next;
    }
  }

  // The rows that follow p.rows of them, of which `left` are there.
  void PrefetchRows(const uint8_t* from, int32_t left) const {
    const int32_t next = left - p.rows < p.rows ? left - p.rows : p.rows;
    Prefetch(from + p.rows * p.depth, next * p.depth);
  }

  static int32_t UnitsOfGroup(const ConvParams& p) {
    return (p.out_per_group + 127) / 128;
  }
};

// Whether `a` units go into slices more evenly than `b` units.
bool IsMoreEven(int32_t a, int32_t b, int32_t slices) {
  const int32_t most_a = (a + slices - 1) / slices;
  const int32_t most_b = (b + slices - 1) / slices;
  return int64_t{a} * most_b > int64_t{b} * most_a;
}

void Run(const NodeView& node) {
  const auto& p = node.get<ConvParams>();
  const auto* filter = node.data(kFilter);
  const ConvScratch scratch(
      node.scratch(kScratchSpace, ConvScratchBytes(p.rows, p.depth)));
  const Product product = {p.depth,       p.groups * p.out_per_group,
                           p.is_signed,   p.has_left_shifts,
                           p.rounds_once, p.y,
                           scratch.sums,  scratch.acc};
  const Convolution convolution = {p,
                                   node.data(kX),
                                   filter,
                                   node.as<const int32_t>(kStage),
                                   node.data(kY),
                                   scratch,
                                   product};
  const int32_t pixels = p.batch * p.h.out * p.w.out;
  const int32_t blocks = (pixels + p.rows - 1) / p.rows;
  const int32_t outputs = p.groups * Convolution::UnitsOfGroup(p);
  // Slices of pixels each read the whole filter; slices of outputs read all
  // pixels.
  const bool by_outputs =
      node.slices > 1 && IsMoreEven(outputs, blocks, node.slices);
  const Share of_blocks = by_outputs ? Share{0, blocks} : node.ShareOf(blocks);
  const Share of_outputs =
      by_outputs ? node.ShareOf(outputs) : Share{0, outputs};
  if (of_blocks.begin == of_blocks.end || of_outputs.begin == of_outputs.end) {
    return;
  }
  Prefetch(convolution.FilterOf(of_outputs.begin),
           static_cast<int32_t>(convolution.FilterOf(of_outputs.end) -
                                convolution.FilterOf(of_outputs.begin)));
  convolution.Run(of_blocks, of_outputs);
}

#endif

}  // namespace

extern const OpDef kConvOp;
const OpDef kConvOp = {
    3, 1, 1, sizeof(ConvParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
