// Depthwise tiles on NEON of armv8.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_sixteen.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_square.h"

namespace mace::cpu {

void dwconv_f32_3s1__aarch64(const DwconvF32Tile& tile) {
  DispatchSixteen<1>(tile);
}

void dwconv_f32_3s2__aarch64(const DwconvF32Tile& tile) {
  DispatchSixteen<2>(tile);
}

void dwconv_f32_5s1__aarch64(const DwconvF32Tile& tile) {
  DispatchSquare<5, 1>(tile);
}

void dwconv_f32_5s2__aarch64(const DwconvF32Tile& tile) {
  DispatchSquare<5, 2>(tile);
}

void dwconv_f32_7s1__aarch64(const DwconvF32Tile& tile) {
  DispatchSquare<7, 1>(tile);
}

}  // namespace mace::cpu
