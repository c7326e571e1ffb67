// Depthwise tiles in plain C++.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f32_3s1__scalar(const DwconvF32Tile& tile) {
  DispatchLine<3, 1>(tile);
}

void dwconv_f32_any__scalar(const DwconvF32Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
