// The depthwise tile of windows 3 wide, stride 2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_sixteen.h"

namespace mace::cpu {

void dwconv_f32_3s2__aarch64(const DwconvF32Tile& tile) {
  DispatchSixteen<2>(tile);
}

}  // namespace mace::cpu
