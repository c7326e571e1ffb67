// Depthwise windows of two columns, stride 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_2s1__avx512(const DwconvF32Tile& tile) { Wide<2, 1>(tile); }

}  // namespace mace::cpu
