// Depthwise windows of one column, stride 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_1s1__avx512(const DwconvF32Tile& tile) { Wide<1, 1>(tile); }

}  // namespace mace::cpu
