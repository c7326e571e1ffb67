// Depthwise tiles of fp16 in plain C++.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/f16.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f16_any__scalar(const DwconvF16Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
