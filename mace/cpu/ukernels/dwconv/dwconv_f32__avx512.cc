// Depthwise tiles on AVX-512.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv/dwconv_f32_line.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_wide.h"

namespace mace::cpu {

void dwconv_f32_1s1__avx512(const DwconvF32Tile& tile) { Wide<1, 1>(tile); }

void dwconv_f32_2s1__avx512(const DwconvF32Tile& tile) { Wide<2, 1>(tile); }

void dwconv_f32_3s1__avx512(const DwconvF32Tile& tile) { Wide<3, 1>(tile); }

void dwconv_f32_3s2__avx512(const DwconvF32Tile& tile) { Wide<3, 2>(tile); }

void dwconv_f32_5s1__avx512(const DwconvF32Tile& tile) { Wide<5, 1>(tile); }

void dwconv_f32_5s2__avx512(const DwconvF32Tile& tile) { Wide<5, 2>(tile); }

void dwconv_f32_7s1__avx512(const DwconvF32Tile& tile) { Wide<7, 1>(tile); }

void dwconv_f32_any__avx512(const DwconvF32Tile& tile) { Line<1, 1, 1>(tile); }

}  // namespace mace::cpu
