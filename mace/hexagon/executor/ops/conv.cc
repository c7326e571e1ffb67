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

// For 32, 64 and 128 outputs.
constexpr GemmCodesFunction* kSignedCodes[] = {
    mace_gemm_codes_s8_1, mace_gemm_codes_s8_2, nullptr, mace_gemm_codes_s8_4};
constexpr GemmCodesFunction* kUnsignedCodes[] = {
    mace_gemm_codes_u8_1, mace_gemm_codes_u8_2, nullptr, mace_gemm_codes_u8_4};

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

  // Whether rows of sums and of codes follow each other without gaps, so that
  // several rows fill a vector.
  bool is_flat() const {
    return p.groups == 1 && (p.out_per_group == 32 || p.out_per_group == 64);
  }

  // Whether four rows of all blocks of outputs are whole vectors of codes.
  bool fills_vectors() const {
    return p.has_left_shifts == 0 && p.groups == 1 &&
           (is_flat() || p.out_per_group % 128 == 0);
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
    if (!is_flat()) {
      RequantizeFor(p)(args);
      return;
    }
    const int32_t codes = rows * outputs;
    args.y_stride = args.bytes = 128;
    args.groups = codes / 128;
    if (args.groups > 0) RequantizeFor(p)(args);
    if (codes % 128 == 0) return;
    args.acc += args.groups * 128;
    args.y += args.groups * 128;
    args.groups = 1;
    args.bytes = codes % 128;
    RequantizeFor(p)(args);
  }

  void Outputs(const uint8_t* rows_of_x, int32_t rows, int32_t group,
               uint8_t* to) const {
    const int32_t blocks = (p.out_per_group + 31) / 32;
    GemmFunction* const* gemms = p.is_signed != 0 ? kSignedGemm : kUnsignedGemm;
    for (int32_t b = 0; b < blocks; b += 4) {
      const int32_t n = blocks - b < 4 ? blocks - b : 4;
      const int32_t at = group * blocks + b;
      GemmArgs args = {rows_of_x,
                       p.depth,
                       rows & ~3,
                       filter + at * 32 * p.depth,
                       p.depth,
                       scratch.sums,
                       stage + at * 96,
                       scratch.acc,
                       is_flat() ? 32 * n : 128};
      const int32_t left = p.out_per_group - b * 32;
      const int32_t outputs = left < 128 ? left : 128;
      uint8_t* y_of_block = to + group * p.out_per_group + b * 32;
      int32_t done = 0;
      if (fills_vectors() && args.rows > 0) {
        const GemmCodes codes = {p.y.zero_point, p.y.least, p.y.most,
                                 y_of_block, p.out_per_group};
        (p.is_signed != 0 ? kSignedCodes : kUnsignedCodes)[n - 1](args, codes);
        done = args.rows;
      }
      if (done == rows) continue;
      args.x += done * p.depth;
      args.sums += done;
      args.rows = (rows - done + 3) & ~3;
      gemms[n - 1](args);
      Finish(stage + at * 96, n, rows - done, outputs,
             y_of_block + done * p.groups * p.out_per_group);
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
        Vec codes[kRows > 0 ? kRows : 1];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          codes[r] = LoadUnaligned(row + r * row_step);
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) StoreUnaligned(at + r * run, codes[r]);
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

  void Run() const {
    const int32_t pixels = p.batch * p.h.out * p.w.out;
    const bool always = needs_patches();
    const int32_t out = p.groups * p.out_per_group;
    Pixel pixel;
    for (int32_t begin = 0; begin < pixels; begin += kConvRows) {
      const int32_t left = pixels - begin;
      const int32_t rows = left < kConvRows ? left : kConvRows;
      Pixel next;
      for (int32_t g = 0; g < p.groups; ++g) {
        const uint8_t* from = scratch.patches;
        if (always) {
          next = Patches(pixel, rows, g);
        } else if (rows == kConvRows) {
          from = x + begin * p.depth;
        } else {  // kernels read rows in full groups
          CopyLoosely(scratch.patches, x + begin * p.depth, rows * p.depth);
        }
        mace_row_sums(from, p.depth, p.depth, p.filter_offset, p.is_signed,
                      scratch.sums);
        Outputs(from, rows, g, y + begin * out);
      }
      pixel = next;
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
