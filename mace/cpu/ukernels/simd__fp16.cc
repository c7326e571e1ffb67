// The micro-kernels that are written once for all instruction sets,
// for fp16 on Arm.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/binary/binary_f16_loop.h"
#include "mace/cpu/ukernels/pool/pool_f16_window.h"

namespace mace::cpu {

const BinaryF16Set binary_f16__fp16 = kFp16Functions;
const BinaryF16One binary_add_f16__fp16 = kFp16Add;

void pool_max_f16__fp16(const PoolF16Window& t) {
  Pool<PoolMaxOf<Plain<uint16_t>>>(t);
}
void pool_mean_f16__fp16(const PoolF16Window& t) {
  Pool<PoolMeanOf<Widened>>(t);
}
void pool_l2_f16__fp16(const PoolF16Window& t) {
  Pool<RootMeanSquareOf<Widened>>(t);
}

}  // namespace mace::cpu
