// Binary functions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/binary/binary_f32_loop.h"

namespace mace::cpu {

const BinaryF32Set binary_f32__avx2 = kAllFunctions;
const BinaryF32One binary_add_f32__avx2 = kAdd;
const BinaryF32One binary_subtract_f32__avx2 = kSubtract;

}  // namespace mace::cpu
