// The depthwise tile of windows 3 wide, stride 2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_3s2__avx512(const DwconvF32Tile& tile) { Wide<3, 2>(tile); }

}  // namespace mace::cpu
