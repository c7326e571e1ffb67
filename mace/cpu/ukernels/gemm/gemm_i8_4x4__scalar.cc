// The GEMM tile of int8 with int32 sums in plain C++, and its packing: the
// definition for other files.
// SPDX-License-Identifier: Apache-2.0
//
// Sums wrap around at 32 bits, which takes 2^17 products of -128 by -128.

#include "mace/cpu/ukernels/gemm/gemm_pack_steps.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 4;
constexpr size_t kGroup = 4;  // consecutive k of a and b that are adjacent

int32_t Sum(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}

// a holds groups of k, each group for all rows.
void MultiplyTile(GemmI8Tile t) {
  for (size_t i = 0; i < t->m; ++i) {
    for (size_t j = 0; j < t->n; ++j) {
      int32_t sum = t.bias() != nullptr ? t.bias()[j] : 0;
      for (size_t k = 0; k < t->k; ++k) {
        const size_t group = k / kGroup, at = k % kGroup;
        const int8_t a = t.a()[(group * t->m + i) * kGroup + at];
        const int8_t b = t.b()[(group * kColumns + j) * kGroup + at];
        sum = Sum(sum, int32_t{a} * b);
      }
      if (t.addend() != nullptr) {
        sum = Sum(sum, t.addend()[i * t->addend_stride + j]);
      }
      t.c()[i * t->c_stride + j] = sum;
    }
  }
}

}  // namespace

void gemm_i8_4x4__scalar(GemmI8Tile tile) {
  ForEachTile<kRows, kGroup>(tile, MultiplyTile);
}

int8_t* gemm_i8_pack_4__scalar(GemmUnpackedOf<int8_t> rows, int8_t* to) {
  return PackSteps<kGroup, int8_t>(rows, to, [](int8_t x) { return x; });
}

}  // namespace mace::cpu
