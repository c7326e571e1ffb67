// Conv: any window, stride, dilation and groups; rows of products by vrmpy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/executor/conv_scratch.h"
#include "mace/hexagon/executor/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/hvx/hvx.h"
#include "mace/hexagon/hvx/ukernels/ukernels.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kFilter, kStage, kY, kScratchSpace };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<ConvParams>();
  if (!IsValid(p.h) || !IsValid(p.w) || !IsValid(p.y, p.is_signed) ||
      !IsWithin(p.batch, 1, kMostExtent) ||
      !IsWithin(p.groups, 1, kMostExtent) ||
      !IsWithin(p.in_per_group, 1, kMostExtent) ||
      !IsWithin(p.out_per_group, 1, kMostExtent) ||
      !IsWithin(p.filter_offset, 0, 255) ||
      !IsWithin(p.has_left_shifts, 0, 1)) {
    return kBadParameter;
  }
  const uint64_t taps = Times(p.h.kernel, p.w.kernel);
  const uint64_t depth = RoundUp(Times(taps, p.in_per_group), 8);
  if (depth > kMostConvDepth || depth != static_cast<uint64_t>(p.depth)) {
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
      node.bytes(kScratchSpace) < ConvScratchBytes(p.depth)) {
    return kBadSize;
  }
  *work = Times(pixels + kConvRows, blocks * 32, depth);
  return kDspOk;
}

#if defined(__hexagon__)

constexpr GemmFunction* kSignedGemm[] = {mace_gemm_s8_1, mace_gemm_s8_2,
                                         mace_gemm_s8_3, mace_gemm_s8_4};
constexpr GemmFunction* kUnsignedGemm[] = {mace_gemm_u8_1, mace_gemm_u8_2,
                                           mace_gemm_u8_3, mace_gemm_u8_4};

RequantizeFunction* RequantizeFor(const ConvParams& p) {
  if (p.has_left_shifts != 0) {
    return p.is_signed != 0 ? mace_requantize_any_s8 : mace_requantize_any_u8;
  }
  return p.is_signed != 0 ? mace_requantize_s8 : mace_requantize_u8;
}

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

  // Scales and stores `rows` rows of `outputs` outputs.
  void Finish(const int32_t* block_stage, int32_t blocks, int32_t rows,
              int32_t outputs, uint8_t* to) const {
    RequantizeArgs args;
    args.acc = scratch.acc;
    args.acc_stride = 128;
    args.groups = rows;
    args.stage = block_stage;
    args.stage_blocks = blocks;
    args.zero_point = p.y.zero_point;
    args.least = p.y.least;
    args.most = p.y.most;
    args.y = to;
    args.y_stride = p.groups * p.out_per_group;
    args.bytes = outputs;
    RequantizeFor(p)(args);
  }

  void Outputs(const uint8_t* rows_of_x, int32_t stride, int32_t rows,
               int32_t group, uint8_t* to) const {
    const int32_t blocks = (p.out_per_group + 31) / 32;
    GemmFunction* const* gemms = p.is_signed != 0 ? kSignedGemm : kUnsignedGemm;
    for (int32_t b = 0; b < blocks; b += 4) {
      const int32_t n = blocks - b < 4 ? blocks - b : 4;
      const int32_t at = group * blocks + b;
      const GemmArgs args = {
          rows_of_x, stride,       (rows + 3) & ~3, filter + at * 32 * p.depth,
          p.depth,   scratch.sums, stage + at * 96, scratch.acc};
      gemms[n - 1](args);
      const int32_t left = p.out_per_group - b * 32;
      Finish(stage + at * 96, n, rows, left < 128 ? left : 128,
             to + group * p.out_per_group + b * 32);
    }
  }

  void Run() const {
    const int32_t pixels = p.batch * p.h.out * p.w.out;
    const bool always = needs_patches();
    const int32_t out = p.groups * p.out_per_group;
    Pixel pixel;
    for (int32_t begin = 0; begin < pixels; begin += kConvRows) {
      const int32_t left = pixels - begin;
      const int32_t rows = left < kConvRows ? left : kConvRows;
      const Pixel first = pixel;
      for (int32_t g = 0; g < p.groups; ++g) {
        const uint8_t* from = x + begin * p.in_per_group;
        if (always || rows < kConvRows) {
          from = scratch.patches;
          pixel = first;
          for (int32_t r = 0; r < rows; ++r, pixel.Next(p)) {
            if (always) {
              Patch(pixel, g, scratch.patches + r * p.depth);
            } else {
              CopyLoosely(scratch.patches + r * p.depth,
                          x + (begin + r) * p.depth, p.depth);
            }
          }
        }
        mace_row_sums(from, p.depth, p.depth, p.filter_offset, p.is_signed,
                      scratch.sums);
        Outputs(from, p.depth, rows, g, y + begin * out);
      }
    }
  }
};

void Run(const NodeView& node) {
  const auto& p = node.get<ConvParams>();
  Convolution{p,
              node.data(kX),
              node.data(kFilter),
              node.as<const int32_t>(kStage),
              node.data(kY),
              ConvScratch(node.data(kScratchSpace))}
      .Run();
}

#endif

}  // namespace

extern const OpDef kConvOp;
const OpDef kConvOp = {
    3, 1, 1, sizeof(ConvParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
