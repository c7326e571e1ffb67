// Depthwise tiles of fp16 on NEON with fp16.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/f16.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f16_square.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f16_3s1__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<3, 1>(tile);
}

void dwconv_f16_3s2__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<3, 2>(tile);
}

void dwconv_f16_5s1__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<5, 1>(tile);
}

void dwconv_f16_5s2__fp16(const DwconvF16Tile& tile) {
  DispatchSquare<5, 2>(tile);
}

void dwconv_f16_any__fp16(const DwconvF16Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
