// f32 micro-kernels that find the largest magnitude and the sum of magnitudes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_
#define MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_

#include <cstddef>

namespace mace::cpu {

// `count` rows of n contiguous floats.
struct MagnitudeF32Rows {
  size_t count, n;
  const float* const* rows;
};

// Of no elements, zeros.
struct MagnitudeF32 {
  float largest;  // anything if an element is NaN
  float sum;      // infinity or NaN if an element is
};

using MagnitudeF32Fn = MagnitudeF32(const MagnitudeF32Rows& rows);

MagnitudeF32Fn magnitude_f32__scalar, magnitude_f32__avx2,
    magnitude_f32__avx512, magnitude_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_MAGNITUDE_MAGNITUDE_F32_H_
