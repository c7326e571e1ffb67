// Multiply-adds and streams at peak rate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/peak/peak_f32_loop.h"

namespace mace::cpu {

const PeakF32Set peak_f32__neon = kAllFunctions;

}  // namespace mace::cpu
