// Winograd's transforms.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd/winograd_f32_tile.h"

namespace mace::cpu {

const WinogradF32Set winograd_f32__avx512 = kAllFunctions;

}  // namespace mace::cpu
