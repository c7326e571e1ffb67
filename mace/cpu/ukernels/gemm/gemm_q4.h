// GEMM of int8 activations and int4 weights, both in blocks of 32 along k, each
// with a scale: c = clamp(sum of scale_a * scale_b * dot + bias + addend).
// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats are quantized while they are packed: a block of a row is
// symmetric, its scale is the largest magnitude / 127. Dots are exact.
//
//   a, packed tiles of up to mr rows   [ceil(k / 32)][m] Q8Block
//   b, a panel of nr columns           [ceil(k / 32)] Q4Blocks<nr>
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q4_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q4_H_

#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {

constexpr size_t kQ4Block = 32;

// A block of a row.
struct Q8Block {
  float scale;
  int32_t sum;  // of the values
  int8_t values[kQ4Block];
};

// A block of one column. Bits 0-3 of pair i are value i plus 8, bits 4-7 value
// i + 16 plus 8.
struct Q4Block {
  Fp16 scale;
  uint8_t pairs[kQ4Block / 2];
};

// The blocks of all columns of a panel, of which four pairs are adjacent.
template <size_t kColumns>
struct Q4Blocks {
  Fp16 scales[kColumns];
  uint8_t pairs[kQ4Block / 8][kColumns][4];
};

template <>
constexpr Element ElementOf<Q8Block>() {
  return Element::kQ8Block;
}
template <>
constexpr Element ElementOf<Q4Block>() {
  return Element::kQ4Block;
}

using GemmQ4Tile = GemmTileOf<Q8Block, Q4Block, float, int32_t>;
constexpr GemmTypes kGemmQ4 = {Element::kF32, Element::kQ8Block,
                               Element::kQ4Block, Element::kF32, Element::kI32};

namespace {

// Quantizes 32 values.
inline void QuantizeBlock(const float* x, Q8Block* to) {
  float most = 0;
  for (size_t i = 0; i < kQ4Block; ++i) {
    const float magnitude = __builtin_fabsf(x[i]);
    most = magnitude > most ? magnitude : most;
  }
  const float inverse = most > 0 ? 127 / most : 0;
  to->scale = most / 127;
  to->sum = 0;
  for (size_t i = 0; i < kQ4Block; ++i) {
    to->values[i] = static_cast<int8_t>(__builtin_rintf(x[i] * inverse));
    to->sum += to->values[i];
  }
}

// Packs rows, whose last block is filled with zeros.
inline Q8Block* PackQ8Blocks(GemmUnpackedOf<float> rows, Q8Block* to) {
  const size_t depth = rows->k * rows->segments;
  const size_t blocks = (depth + kQ4Block - 1) / kQ4Block;
  for (size_t i = 0; i < rows->m; ++i) {
    for (size_t b = 0; b < blocks; ++b) {
      float x[kQ4Block] = {};
      for (size_t e = 0; e < kQ4Block && b * kQ4Block + e < depth; ++e) {
        const size_t at = b * kQ4Block + e;
        x[e] = rows.row(
            i)[static_cast<ptrdiff_t>(at / rows->k) * rows->segment_stride +
               static_cast<ptrdiff_t>(at % rows->k)];
      }
      QuantizeBlock(x, to + b * rows->m + i);
    }
  }
  return to + blocks * rows->m;
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q4_H_
