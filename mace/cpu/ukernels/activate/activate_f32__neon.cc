// Activations.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/activate/activate_f32_loop.h"

namespace mace::cpu {

const ActivateF32Set activate_f32__neon = kAllFunctions;

}  // namespace mace::cpu
