// MatMul: matrix products of two activations. 128 columns of b at a time become
// a packed filter; the rest is a convolution of one pixel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/mat_mul_scratch.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/executor/product.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kA, kB, kY, kScratchSpace };

int32_t DepthOf(const MatMulParams& p) { return (p.k + 7) & ~7; }

// Whether all matrices of an operand are there.
bool IsInside(const MatMulParams& p, const int32_t* strides,
              uint64_t matrix_bytes, uint64_t bytes) {
  uint64_t last = 0;
  for (int i = 0; i < 3; ++i) last += Times(p.batch[i] - 1, strides[i]);
  return Times(last + 1, matrix_bytes) <= bytes;
}

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<MatMulParams>();
  const int32_t least = p.is_signed != 0 ? -128 : 0;
  constexpr int32_t kLimit = 1 << 24;
  if (!IsWithin(p.m, 1, kLimit) || !IsWithin(p.n, 1, kLimit) ||
      !IsWithin(p.k, 1, static_cast<int32_t>(kMaxConvDepth) - 8) ||
      !IsWithin(p.b_has_lines, 0, 1) || !IsValid(p.scale) ||
      !IsValid(p.y, p.is_signed) ||
      !IsWithin(p.a_zero_point, least, least + 255) ||
      !IsWithin(p.b_zero_point, least, least + 255)) {
    return kBadParameter;
  }
  for (int i = 0; i < 3; ++i) {
    if (!IsWithin(p.batch[i], 1, kLimit) ||
        !IsWithin(p.a_strides[i], 0, kLimit) ||
        !IsWithin(p.b_strides[i], 0, kLimit)) {
      return kBadParameter;
    }
  }
  const uint64_t products = Times(p.batch[0], p.batch[1], p.batch[2]);
  if (!IsInside(p, p.a_strides, Times(p.m, p.k), node.bytes(kA)) ||
      !IsInside(p, p.b_strides, Times(p.k, p.n), node.bytes(kB)) ||
      node.bytes(kY) < Times(products, p.m, p.n) ||
      node.bytes(kScratchSpace) <
          ScratchBytes(MatMulScratch(DepthOf(p)).bytes(), node.slices)) {
    return kBadSize;
  }
  *work = Times(products, RoundUp(p.m, 32), RoundUp(p.n, kMatMulColumns),
                static_cast<uint64_t>(DepthOf(p)));
  return kDspOk;
}

#if defined(__hexagon__)

// 32 lines of 32 words become columns.
void TransposeWords(Vec* lines) {
#pragma clang loop unroll(disable)
  for (int step = 1; step < 32; step *= 2) {
    for (int i = 0; i < 32; ++i) {
      if ((i & step) != 0) continue;
      const VecPair both = Q6_W_vshuff_VVR(lines[i + step], lines[i], step * 4);
      lines[i] = Q6_V_lo_W(both);
      lines[i + step] = Q6_V_hi_W(both);
    }
  }
}

struct MatMul {
  const MatMulParams& p;
  int32_t depth;
  ConvScratch scratch;
  uint8_t* filter;  // 4 blocks of 32 * depth bytes
  int32_t* stage;   // 4 of 96 words

  Vec flip() const { return SplatByte(p.is_signed != 0 ? 0x80 : 0); }
  // The quantized value of b that stands for 0 in the filter.
  int32_t zero() const { return p.b_zero_point + (p.is_signed != 0 ? 128 : 0); }
  uint8_t* FilterAt(int32_t block, int32_t word) const {
    return filter + block * 32 * depth + word * kVec;
  }

  // Columns from `first` on of a matrix [k, n].
  void PackColumns(const uint8_t* b, int32_t first) const {
    const Vec outside = SplatByte(zero()), turn = flip();
    for (int32_t word = 0; word < depth / 4; ++word) {
      Vec row[4];
      for (int r = 0; r < 4; ++r) {
        const int32_t at = 4 * word + r;
        row[r] = at < p.k
                     ? Q6_V_vxor_VV(LoadUnaligned(b + at * p.n + first), turn)
                     : outside;
      }
      const Words lanes = Interleave(row[0], row[1], row[2], row[3]);
      for (int q = 0; q < 4; ++q) Store(FilterAt(q, word), lanes.w[q]);
    }
  }

  // Lines from `first` on of a matrix [n, k], `blocks` times 32 of them; the
  // last one stands for those behind it.
  void PackLines(const uint8_t* b, int32_t first, int32_t blocks) const {
    const Vec outside = SplatByte(zero()), turn = flip();
    for (int32_t q = 0; q < blocks; ++q) {
      for (int32_t c = 0; c < depth; c += kVec) {
        Vec lines[32];
        for (int32_t i = 0; i < 32; ++i) {
          const int32_t at = first + q * 32 + i;
          const uint8_t* line = b + (at < p.n ? at : p.n - 1) * p.k;
          lines[i] = Q6_V_vxor_VV(LoadUnaligned(line + c), turn);
          if (c + kVec > p.k) {
            lines[i] = c < p.k ? Q6_V_vmux_QVV(Q6_Q_vsetq_R(p.k - c), lines[i],
                                               outside)
                               : outside;
          }
        }
        TransposeWords(lines);
        const int32_t left = (depth - c) / 4;
        for (int32_t w = 0; w < 32 && w < left; ++w) {
          Store(FilterAt(q, c / 4 + w), lines[w]);
        }
      }
    }
  }

  // First sums, which take back a's zero point, and factors.
  void WriteStage(int32_t blocks) const {
    const int32_t exponent = p.scale.mantissa == 0 ? -1 : p.scale.exponent;
    for (int32_t q = 0; q < blocks; ++q) {
      Vec sum = Q6_V_vzero();
      for (int32_t word = 0; word < depth / 4; ++word) {
        sum =
            Q6_Vuw_vrmpyacc_VuwVubRub(sum, Load(FilterAt(q, word)), 0x01010101);
      }
      const Vec values = Q6_Vw_vsub_VwVw(sum, SplatWord(depth * zero()));
      Store(stage + q * 96, MultiplyLow(values, SplatWord(-p.a_zero_point)));
      Store(stage + q * 96 + 32, SplatWord(p.scale.mantissa));
      Store(stage + q * 96 + 64, SplatWord(exponent));
    }
  }

  // Rows of a times what is packed.
  void Columns(const uint8_t* a, int32_t outputs, uint8_t* y) const {
    const bool has_left_shifts = p.scale.mantissa != 0 && p.scale.exponent >= 0;
    const Product product = {depth, p.n, p.is_signed,  has_left_shifts,
                             0,     p.y, scratch.sums, scratch.acc};
    for (int32_t row = 0; row < p.m; row += kConvRows) {
      const int32_t left = p.m - row;
      const int32_t rows = left < kConvRows ? left : kConvRows;
      const uint8_t* from = a + row * p.k;
      Prefetch(from + rows * p.k, (left - rows) * p.k);
      if (depth != p.k || rows < kConvRows ||
          (reinterpret_cast<uintptr_t>(from) & 7) != 0) {
        for (int32_t r = 0; r < rows; ++r) {
          CopyLoosely(scratch.patches + r * depth, from + r * p.k, p.k);
        }
        from = scratch.patches;
      }
      mace_row_sums(from, depth, kConvRows, depth, zero(), p.is_signed,
                    scratch.sums);
      product.Block(from, rows, filter, stage, outputs, y + row * p.n);
    }
  }
};

// Units are 128 columns of a product.
void Run(const NodeView& node) {
  const auto& p = node.get<MatMulParams>();
  const int32_t blocks = (p.n + kMatMulColumns - 1) / kMatMulColumns;
  const int32_t products = p.batch[0] * p.batch[1] * p.batch[2];
  const Share share = node.ShareOf(products * blocks);
  const int32_t depth = DepthOf(p);
  const MatMulScratch bytes(depth);
  uint8_t* space = node.scratch(kScratchSpace, bytes.bytes());
  uint8_t* filter = space + bytes.conv_bytes;
  const MatMul product = {
      p, depth, ConvScratch(space), filter,
      reinterpret_cast<int32_t*>(filter + bytes.filter_bytes)};
  for (int32_t unit = share.begin; unit < share.end; ++unit) {
    const int32_t at = unit / blocks, first = unit % blocks * kMatMulColumns;
    const int32_t index[3] = {at / p.batch[2] / p.batch[1],
                              at / p.batch[2] % p.batch[1], at % p.batch[2]};
    int32_t of_a = 0, of_b = 0;
    for (int i = 0; i < 3; ++i) {
      of_a += index[i] * p.a_strides[i];
      of_b += index[i] * p.b_strides[i];
    }
    const uint8_t* b = node.data(kB) + of_b * p.k * p.n;
    const int32_t left = p.n - first;
    const int32_t outputs = left < kMatMulColumns ? left : kMatMulColumns;
    if (p.b_has_lines != 0) {
      product.PackLines(b, first, (outputs + 31) / 32);
    } else {
      product.PackColumns(b, first);
    }
    product.WriteStage((outputs + 31) / 32);
    product.Columns(node.data(kA) + of_a * p.m * p.k, outputs,
                    node.data(kY) + at * p.m * p.n + first);
  }
}

#endif

}  // namespace

extern const OpDef kMatMulOp;
const OpDef kMatMulOp = {
    2, 1, 1, sizeof(MatMulParams) / 4, 2, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
