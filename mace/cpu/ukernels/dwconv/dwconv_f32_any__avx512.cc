// One depthwise output of a window of any size.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f32_any__avx512(const DwconvF32Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
