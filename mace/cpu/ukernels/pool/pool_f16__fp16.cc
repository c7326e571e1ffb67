// Pooling windows of fp16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/pool/pool_f16_window.h"

namespace mace::cpu {

void pool_max_f16__fp16(const PoolF16Window& window) {
  Pool<MaxOf<Plain<uint16_t>>>(window);
}
void pool_mean_f16__fp16(const PoolF16Window& window) {
  Pool<MeanOf<Widened>>(window);
}
void pool_l2_f16__fp16(const PoolF16Window& window) {
  Pool<RootMeanSquareOf<Widened>>(window);
}

}  // namespace mace::cpu
