// The 4x8 tile of int8 in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q8_pack.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 4, kColumns = 8, kGroup = 2;

}  // namespace

void gemm_q8_4x8__scalar(GemmI8Tile t) {
  const auto* a = t.a();
  for (size_t i = 0; i < t->m; ++i) {
    uint32_t sums[kColumns];
    for (size_t j = 0; j < kColumns; ++j) {
      sums[j] = static_cast<uint32_t>(t.bias()[j]);
    }
    for (size_t k = 0; k < t->k; k += kGroup) {
      const int8_t* row = a + k * kRows + i * kGroup;
      const int8_t* b = t.b() + k * kColumns;
      for (size_t j = 0; j < kColumns; ++j) {
        sums[j] += static_cast<uint32_t>(row[0] * b[j * kGroup] +
                                         row[1] * b[j * kGroup + 1]);
      }
    }
    for (size_t j = 0; j < kColumns; ++j) {
      t.c()[i * kColumns + j] = static_cast<int32_t>(sums[j]);
    }
  }
}

void gemm_q8_pack_4__scalar(const GemmRuns& rows, void* to) {
  PackValues<kRows, kGroup, int8_t, int8_t>(rows, static_cast<int8_t*>(to));
}

}  // namespace mace::cpu
