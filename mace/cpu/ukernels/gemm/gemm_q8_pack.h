// Packs rows of quantized values in plain C++, in lines of kLine elements.
// SPDX-License-Identifier: Apache-2.0
//
// The definition of a GemmPackRunsFn. With kRows = 2, kLine = 4 and two runs of
// three values, s0 and s1, the first line ends with a value of the second run:
//
//   line of row 0: s0 s0 s0 s1 | line of row 1: s0 s0 s0 s1
//   line of row 0: s1 s1 -- -- | line of row 1: s1 s1 -- --    --: not written
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_H_

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

// Packs the runs at the pointers rows.runs. kRows and kLine are mr and k_tile
// of the table. A is the type of elements of packed rows. The flipped quantized
// values are read as S, int8_t or uint8_t.
template <size_t kRows, size_t kLine, typename A, typename S>
void PackValues(const GemmRuns& rows, A* to) {
  for (size_t i = 0; i < rows.m; ++i) {
    A* line = to + i * kLine;
    size_t at = 0;  // in the line
    int32_t sum = 0;
    for (size_t s = 0; s < rows.segments; ++s) {
      const uint8_t* from = rows.runs[s * rows.m + i];
      for (size_t left = rows.n; left > 0;) {
        const size_t n = left < kLine - at ? left : kLine - at;
        for (size_t j = 0; j < n; ++j) {
          line[at + j] = static_cast<S>(from[j] ^ rows.flip);
        }
        if (rows.sums != nullptr) {
          for (size_t j = 0; j < n; ++j) sum += line[at + j];
        }
        from += n;
        left -= n;
        at += n;
        if (at < kLine) continue;
        at = 0;
        line += kRows * kLine;
      }
    }
    if (rows.sums != nullptr) rows.sums[i] = sum;
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_H_
