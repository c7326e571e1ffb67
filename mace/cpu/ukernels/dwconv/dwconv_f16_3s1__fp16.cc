// The depthwise tile of fp16 for windows 3 wide, stride 1.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f16_square.h"

namespace mace::cpu {

void dwconv_f16_3s1__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<3, 1>(tile);
}

}  // namespace mace::cpu
