// The depthwise tile of fp16 on armv8.2: that of float32, with eight channels
// in a vector instead of four.
// SPDX-License-Identifier: Apache-2.0
//
// dwconv_f16__fp16.cc includes this file. There is one copy of the tile's code,
// dwconv_f32_square.h; this file defines the functions that its templates call
// by unqualified names with pointers as arguments. The compiler looks such
// names up where the template is defined (argument-dependent lookup finds
// nothing for pointers to arithmetic types), so the order of this file matters.
#ifndef MACE_CPU_UKERNELS_DWCONV_DWCONV_F16_SQUARE_H_
#define MACE_CPU_UKERNELS_DWCONV_DWCONV_F16_SQUARE_H_

#include <arm_neon.h>

#include "mace/cpu/simd/f16.h"

namespace mace::cpu {
namespace {

// Load three or four adjacent vectors with one instruction. Must precede the
// templates of dwconv_f32_square.h, which call these functions.
inline float16x8x3_t LoadThree(const uint16_t* p) {
  return vld1q_f16_x3(reinterpret_cast<const float16_t*>(p));
}
inline float16x8x4_t LoadFour(const uint16_t* p) {
  return vld1q_f16_x4(reinterpret_cast<const float16_t*>(p));
}

}  // namespace
}  // namespace mace::cpu

#include "mace/cpu/ukernels/dwconv/dwconv_f32_square.h"

#endif  // MACE_CPU_UKERNELS_DWCONV_DWCONV_F16_SQUARE_H_
