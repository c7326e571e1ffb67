// Depthwise tiles on NEON of armv7 and armv8.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"

namespace mace::cpu {

void dwconv_f32_1s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<1, 1>(tile);
}

void dwconv_f32_2s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<2, 1>(tile);
}

void dwconv_f32_3s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<3, 1>(tile);
}

void dwconv_f32_3s2__neon(const DwconvF32Tile& tile) {
  DispatchLine<3, 2>(tile);
}

void dwconv_f32_5s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<5, 1>(tile);
}

void dwconv_f32_5s2__neon(const DwconvF32Tile& tile) {
  DispatchLine<5, 2>(tile);
}

void dwconv_f32_7s1__neon(const DwconvF32Tile& tile) {
  DispatchLine<7, 1>(tile);
}

void dwconv_f32_any__neon(const DwconvF32Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
