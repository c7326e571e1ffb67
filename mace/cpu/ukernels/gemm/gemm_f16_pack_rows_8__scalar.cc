// Packs up to 8 rows of fp16 without converting them: eight elements of each
// row in turn.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"

namespace mace::cpu {
namespace {

constexpr size_t kStep = kGemmF16Step, kMaxPackedRows = 8;

// As many elements as a register holds, without alignment.
typedef uint16_t Step
    __attribute__((vector_size(2 * kStep), aligned(2), may_alias));

inline void CopyStep(const Fp16* from, Fp16* to) {
  *reinterpret_cast<Step*>(to) = *reinterpret_cast<const Step*>(from);
}

// Packs kM rows or, if it is 0, as many as there are.
template <size_t kM>
Fp16* Pack(GemmUnpackedOf<Fp16> rows, Fp16* to) {
  const size_t m = kM > 0 ? kM : rows->m;
  const Fp16* from[kMaxPackedRows];
  for (size_t i = 0; i < m; ++i) from[i] = rows.row(i);
  size_t at = 0;  // position in the step that `to` points to
  for (size_t s = 0; s < rows->segments; ++s) {
    size_t k = 0;
    if (at > 0) {  // a step that spans segments
      k = rows->k < kStep - at ? rows->k : kStep - at;
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < k; ++j) to[i * kStep + at + j] = from[i][j];
      }
      at += k;
      if (at == kStep) {
        at = 0;
        to += m * kStep;
      }
    }
    for (; k + kStep <= rows->k; k += kStep) {
      for (size_t i = 0; i < m; ++i, to += kStep) CopyStep(from[i] + k, to);
    }
    if (k < rows->k) {
      at = rows->k - k;
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < at; ++j) to[i * kStep + j] = from[i][k + j];
      }
    }
    for (size_t i = 0; i < m; ++i) from[i] += rows->segment_stride;
  }
  if (at == 0) return to;
  for (size_t i = 0; i < m; ++i, to += kStep) {
    for (size_t j = at; j < kStep; ++j) to[j] = {0};
  }
  return to;
}

}  // namespace

Fp16* gemm_f16_pack_rows_8__scalar(GemmUnpackedOf<Fp16> rows, Fp16* to) {
  return rows->m == kMaxPackedRows ? Pack<kMaxPackedRows>(rows, to)
                                   : Pack<0>(rows, to);
}

}  // namespace mace::cpu
