// f32 micro-kernels that find the largest magnitude and the sum of magnitudes.
// SPDX-License-Identifier: Apache-2.0
//
// HasOutlier (mace/cpu/gemm/outliers.h) compares the largest with the mean of
// the others. Winograd finds both for each tile of its input, StrassenGemm for
// each row of a. This reads every input once more, so it must cost little
// beside the convolution or GEMM.
#ifndef MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_
#define MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_

#include <cstddef>

namespace mace::cpu {

// `count` rows of n contiguous floats, with the alignment of a float. Nothing
// else is read. `count` and n may be 0: then no float is read, and without a
// row, `rows` may be null.
struct MagnitudeF32Rows {
  size_t count, n;
  const float* const* rows;
};

// The results for all elements of all rows together; zeros if there are none.
// The order in which elements are added up depends on the instruction set.
struct MagnitudeF32 {
  // Has no meaning if an element is NaN, which Max of simd.h may lose.
  // HasOutlier finds NaN by the sum.
  float largest;
  float sum;  // not finite if an element is not, or if the sum overflows
};

// Functions keep no state; any threads may call them at the same time.
using MagnitudeF32Fn = MagnitudeF32(const MagnitudeF32Rows& rows);

MagnitudeF32Fn magnitude_f32__scalar, magnitude_f32__avx2,
    magnitude_f32__avx512, magnitude_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_
