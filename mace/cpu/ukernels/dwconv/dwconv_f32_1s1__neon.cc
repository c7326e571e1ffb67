// Depthwise windows of one column, stride 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f32_1s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<1, 1>(tile);
}

}  // namespace mace::cpu
