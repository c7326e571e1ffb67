// Magnitudes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/magnitude/magnitude_f32_loop.h"

namespace mace::cpu {

MagnitudeF32 magnitude_f32__neon(const MagnitudeF32Rows& rows) {
  return FindMagnitude(rows);
}

}  // namespace mace::cpu
