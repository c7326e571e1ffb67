// Binary functions of fp16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/binary/binary_f16_loop.h"

namespace mace::cpu {

const BinaryF16Set binary_f16__scalar = kFp16Functions;
const BinaryF16One binary_add_f16__scalar = kFp16Add;

}  // namespace mace::cpu
