// The depthwise tile of windows 5 wide, stride 2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_5s2__avx2(const DwconvF32Tile& tile) { Wide<5, 2>(tile); }

}  // namespace mace::cpu
