// The depthwise tile of fp16 for windows 5 wide, stride 2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f16_square.h"

namespace mace::cpu {

void dwconv_f16_5s2__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<5, 2>(tile);
}

}  // namespace mace::cpu
