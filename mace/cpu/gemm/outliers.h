// Outliers: numbers so large beside the others of a row that algorithms which
// add numbers up before they multiply round the others away.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_OUTLIERS_H_
#define MACE_CPU_GEMM_OUTLIERS_H_

#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"

namespace mace::cpu {

// An outlier is more than this many times the mean magnitude of the others.
inline constexpr float kOutlierRatio = 1024;

// Returns whether one of n elements, whose magnitudes `of` describes, is an
// outlier or is not finite.
inline bool HasOutlier(const MagnitudeF32& of, int64_t n) {
  // False of NaN.
  const bool is_even = of.largest * static_cast<float>(n - 1) <=
                       kOutlierRatio * (of.sum - of.largest);
  return !is_even;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_OUTLIERS_H_
