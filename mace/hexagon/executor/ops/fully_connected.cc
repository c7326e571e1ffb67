// FullyConnected: a matrix product whose sums are scaled as TFLite does it: by
// a product in double precision, rounded half away from zero.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/executor/conv_scratch.h"
#include "mace/hexagon/executor/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/hvx/hvx.h"
#include "mace/hexagon/hvx/ukernels/ukernels.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kFilter, kStage, kFactors, kY, kScratchSpace };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<FullyConnectedParams>();
  if (!IsWithin(p.rows, 1, 1 << 24) || !IsValid(p.y, p.is_signed) ||
      !IsWithin(p.depth, 1, kMostConvDepth) ||
      RoundUp(p.depth, 8) != static_cast<uint64_t>(p.padded_depth) ||
      !IsWithin(p.outputs, 1, 1 << 24) || !IsWithin(p.filter_offset, 0, 255)) {
    return kBadParameter;
  }
  const uint64_t blocks = RoundUp(p.outputs, 32) / 32;
  if (node.bytes(kX) < Times(p.rows, p.depth) ||
      node.bytes(kFilter) < Times(blocks, 32, p.padded_depth) ||
      node.bytes(kStage) < Times(blocks, 384) ||
      node.bytes(kFactors) < Times(blocks, 32 * 16) ||
      node.bytes(kY) < Times(p.rows, p.outputs) ||
      node.bytes(kScratchSpace) < ConvScratchBytes(p.padded_depth)) {
    return kBadSize;
  }
  // The exponents of doubles, for which the shifts below are in range.
  const auto* factors = node.as<const int32_t>(kFactors);
  for (uint64_t i = 0; i < blocks * 32; ++i) {
    const int32_t high = factors[4 * i + 1];
    if (high < 0 || high >= 1 << 21 ||
        !IsWithin(factors[4 * i + 2], -400, 400)) {
      return kBadParameter;
    }
  }
  *work = Times(p.rows + kConvRows, blocks * 32, p.padded_depth);
  return kDspOk;
}

#if defined(__hexagon__)

struct Factor {
  uint32_t low, high;  // a mantissa of 53 bits
  int32_t exponent;    // the factor is mantissa * 2^exponent
  uint32_t unused;
};

// The bits of high:low from bit `from` on; from is in 1..127.
uint64_t BitsFrom(uint64_t high, uint64_t low, int32_t from) {
  if (from >= 64) return high >> (from - 64);
  return (low >> from) | (high << (64 - from));
}

bool AnyBelow(uint64_t high, uint64_t low, int32_t bit) {
  if (bit >= 64) {
    return low != 0 || (high & ((uint64_t{1} << (bit - 64)) - 1)) != 0;
  }
  return (low & ((uint64_t{1} << bit) - 1)) != 0;
}

// Returns round(double(sum) * factor), where the product is a double, limited
// to 2^30 on either side.
int32_t ScaleByDouble(int32_t sum, const Factor& f) {
  constexpr int32_t kLimit = 1 << 30;
  const uint32_t size =
      sum < 0 ? 0u - static_cast<uint32_t>(sum) : static_cast<uint32_t>(sum);
  const uint64_t part = uint64_t{size} * f.low;
  const uint64_t upper = uint64_t{size} * f.high + (part >> 32);
  uint64_t low = (upper << 32) | (part & 0xffffffffu);
  uint64_t high = upper >> 32;
  if ((high | low) == 0) return 0;
  int32_t exponent = f.exponent;
  // To 53 bits: to the nearest, ties to even.
  const int32_t bits =
      high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
  if (bits > 53) {
    const int32_t drop = bits - 53;
    uint64_t kept = BitsFrom(high, low, drop);
    const bool half = (drop > 64 ? high >> (drop - 65) : low >> (drop - 1)) & 1;
    if (half && (AnyBelow(high, low, drop - 1) || (kept & 1) != 0)) ++kept;
    low = kept;
    high = 0;
    exponent += drop;
  }
  // To an integer: to the nearest, ties away from zero.
  uint64_t units;
  if (exponent >= 0) {
    units =
        exponent > 30 || low >> (31 - exponent) != 0 ? kLimit : low << exponent;
  } else if (exponent < -63) {
    units = 0;
  } else {
    units = (low + (uint64_t{1} << (-exponent - 1))) >> -exponent;
  }
  const auto limited = static_cast<int32_t>(units > kLimit ? kLimit : units);
  return sum < 0 ? -limited : limited;
}

struct Product {
  const FullyConnectedParams& p;
  const uint8_t* x;
  const uint8_t* filter;
  const int32_t* stage;
  const Factor* factors;
  uint8_t* y;
  ConvScratch scratch;

  void Finish(int32_t begin, int32_t rows, int32_t block, int32_t n) const {
    for (int32_t r = 0; r < rows; ++r) {
      uint8_t* to = y + (begin + r) * p.outputs + block * 32;
      for (int32_t i = 0; i < n; ++i) {
        int32_t code =
            ScaleByDouble(scratch.acc[r * 128 + i], factors[block * 32 + i]) +
            p.y.zero_point;
        if (code < p.y.least) code = p.y.least;
        if (code > p.y.most) code = p.y.most;
        to[i] = static_cast<uint8_t>(code);
      }
    }
  }

  void Run() const {
    const int32_t blocks = (p.outputs + 31) / 32;
    for (int32_t begin = 0; begin < p.rows; begin += kConvRows) {
      const int32_t left = p.rows - begin;
      const int32_t rows = left < kConvRows ? left : kConvRows;
      for (int32_t r = 0; r < rows; ++r) {
        CopyLoosely(scratch.patches + r * p.padded_depth,
                    x + (begin + r) * p.depth, p.depth);
      }
      mace_row_sums(scratch.patches, p.padded_depth, p.padded_depth,
                    p.filter_offset, p.is_signed, scratch.sums);
      for (int32_t b = 0; b < blocks; b += 4) {
        const int32_t n = blocks - b < 4 ? blocks - b : 4;
        const GemmArgs args = {scratch.patches,
                               p.padded_depth,
                               (rows + 3) & ~3,
                               filter + b * 32 * p.padded_depth,
                               p.padded_depth,
                               scratch.sums,
                               stage + b * 96,
                               scratch.acc,
                               128};
        constexpr GemmFunction* kGemms[2][4] = {
            {mace_gemm_u8_1, mace_gemm_u8_2, mace_gemm_u8_3, mace_gemm_u8_4},
            {mace_gemm_s8_1, mace_gemm_s8_2, mace_gemm_s8_3, mace_gemm_s8_4}};
        kGemms[p.is_signed][n - 1](args);
        const int32_t outputs = p.outputs - b * 32;
        Finish(begin, rows, b, outputs < 128 ? outputs : 128);
      }
    }
  }
};

void Run(const NodeView& node) {
  Product{node.get<FullyConnectedParams>(),
          node.data(kX),
          node.data(kFilter),
          node.as<const int32_t>(kStage),
          node.as<const Factor>(kFactors),
          node.data(kY),
          ConvScratch(node.data(kScratchSpace))}
      .Run();
}

#endif

}  // namespace

extern const OpDef kFullyConnectedOp;
const OpDef kFullyConnectedOp = {
    4, 1, 1, sizeof(FullyConnectedParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
