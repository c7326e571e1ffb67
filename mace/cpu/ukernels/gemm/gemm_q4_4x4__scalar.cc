// The 4x4 tile of int8 times int4 in blocks in plain C++: the definition for
// other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"
#include "mace/cpu/ukernels/gemm/gemm_q4.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4;

// Denormals and normal values; weights have no others.
float FloatOf(Fp16 x) {
  const uint32_t magnitude = (x.bits & 0x7fffu) << 13;
  float value;
  __builtin_memcpy(&value, &magnitude, sizeof(value));
  value *= 0x1p112f;
  return x.bits & 0x8000 ? -value : value;
}

int32_t Dot(const Q8Block& a, const Q4Blocks<kColumns>& b, size_t column) {
  int32_t sum = 0;
  for (size_t i = 0; i < kQ4Block / 2; ++i) {
    const uint8_t pair = b.pairs[i / 4][column][i % 4];
    sum += a.values[i] * (pair & 15) + a.values[i + 16] * (pair >> 4);
  }
  return sum - 8 * a.sum;
}

void MultiplyTile(GemmQ4Tile t) {
  const size_t blocks = (t->k + kQ4Block - 1) / kQ4Block;
  const auto* panel = reinterpret_cast<const Q4Blocks<kColumns>*>(t.b());
  for (size_t i = 0; i < t->m; ++i) {
    float* c = t.c() + static_cast<ptrdiff_t>(i) * t->c_stride;
    for (size_t j = 0; j < t->n; ++j) {
      float sum = t.bias() != nullptr ? t.bias()[j] : 0;
      if (t.addend() != nullptr) {
        sum += t.addend()[static_cast<ptrdiff_t>(i) * t->addend_stride +
                          static_cast<ptrdiff_t>(j)];
      }
      for (size_t b = 0; b < blocks; ++b) {
        const Q8Block& a = t.a()[b * t->m + i];
        sum += a.scale * FloatOf(panel[b].scales[j]) *
               static_cast<float>(Dot(a, panel[b], j));
      }
      sum = sum > t->lower ? sum : t->lower;
      c[j] = sum < t->upper ? sum : t->upper;
    }
  }
}

}  // namespace

void gemm_q4_4x4__scalar(GemmQ4Tile tile) {
  ForEachTile<kRows, 1, kQ4Block>(tile, MultiplyTile);
}

Q8Block* gemm_q4_pack_4__scalar(GemmUnpackedOf<float> rows, Q8Block* to) {
  return PackQ8Blocks(rows, to);
}

}  // namespace mace::cpu
