// Pooling windows and lines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/pool/pool_f32_line.h"

namespace mace::cpu {

void pool_max_f32__scalar(const PoolF32Window& window) {
  Pool<MaxOf<Plain<float>>>(window);
}
void pool_mean_f32__scalar(const PoolF32Window& window) {
  Pool<MeanOf<Plain<float>>>(window);
}
void pool_l2_f32__scalar(const PoolF32Window& window) { PoolL2(window); }

const PoolF32LineSet pool_f32_lines__scalar = kLineFunctions;

}  // namespace mace::cpu
