// Binary functions of halves.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/binary_f32/binary_f16_loop.h"

namespace mace::cpu {

const BinaryF16Set binary_f16__scalar = kHalfFunctions;

}  // namespace mace::cpu
