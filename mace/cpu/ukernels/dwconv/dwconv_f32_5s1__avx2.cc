// The depthwise tile of windows 5 wide, stride 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_5s1__avx2(const DwconvF32Tile& tile) { Wide<5, 1>(tile); }

}  // namespace mace::cpu
