// The 4x4 tiles of int8 times blocks in plain C++: the definition for other
// files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/fp16_bits.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4, kGroup = 4;
template <typename B>
using Panel = GemmPanelBlock<B, kColumns, kGroup>;

float FloatOf(Fp16 x) { return simd::FloatOfFp16(x.bits); }

// The dots of values as they are in memory.
template <typename B>
int32_t DotOfPairs(const Q8Block& a, const Panel<B>& b, size_t column) {
  int32_t sum = 0;
  for (size_t i = 0; i < kGemmBlock / 2; ++i) {
    const uint8_t pair = b.bytes[i / kGroup][column][i % kGroup];
    sum += a.values[i] * (pair & 15) + a.values[i + 16] * (pair >> 4);
  }
  return sum;
}

float Dot(const Q8Block& a, const Panel<Q4Block>& b, size_t column) {
  return static_cast<float>(DotOfPairs(a, b, column) + a.start);
}
float Dot(const Q8Block& a, const Panel<Q4ZeroBlock>& b, size_t column) {
  return static_cast<float>(DotOfPairs(a, b, column)) -
         FloatOf(b.zeros[column]) * a.sum;
}
float Dot(const Q8Block& a, const Panel<W8Block>& b, size_t column) {
  int32_t sum = a.start;
  for (size_t i = 0; i < kGemmBlock; ++i) {
    sum += a.values[i] *
           static_cast<int8_t>(b.bytes[i / kGroup][column][i % kGroup]);
  }
  return static_cast<float>(sum);
}

template <typename B>
void MultiplyTile(GemmBlocksTile<B> t) {
  const size_t blocks = (t->k + kGemmBlock - 1) / kGemmBlock;
  const auto* panel = reinterpret_cast<const Panel<B>*>(t.b());
  for (size_t i = 0; i < t->m; ++i) {
    float* c = t.c() + static_cast<ptrdiff_t>(i) * t->c_stride;
    for (size_t j = 0; j < t->n; ++j) {
      float sum = 0;
      for (size_t b = 0; b < blocks; ++b) {
        const Q8Block& a = t.a()[b * t->m + i];
        sum += FloatOf(panel[b].scales[j]) * Dot(a, panel[b], j);
      }
      sum *= t.a()[i].scale;
      if (t.bias() != nullptr) sum += t.bias()[j];
      if (t.addend() != nullptr) {
        sum += t.addend()[static_cast<ptrdiff_t>(i) * t->addend_stride +
                          static_cast<ptrdiff_t>(j)];
      }
      sum = sum < t->lower ? t->lower : sum;
      c[j] = sum > t->upper ? t->upper : sum;
    }
  }
}

}  // namespace

void gemm_q4_4x4__scalar(GemmQ4Tile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyTile<Q4Block>);
}
void gemm_q4z_4x4__scalar(GemmQ4ZeroTile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyTile<Q4ZeroBlock>);
}
void gemm_w8_4x4__scalar(GemmW8Tile tile) {
  ForEachTile<kRows, 1, kGemmBlock>(tile, MultiplyTile<W8Block>);
}

Q8Block* gemm_q4_pack_4__scalar(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<kStartOfQ4>(rows, to);
}
Q8Block* gemm_w8_pack_4__scalar(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks<0>(rows, to);
}

}  // namespace mace::cpu
