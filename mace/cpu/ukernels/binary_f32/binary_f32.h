// f32 binary micro-kernels: y = clamp(f(a, b)), element by element.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_H_
#define MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_H_

#include <cstddef>

namespace mace::cpu {

struct BinaryF32Args {
  size_t n;
  const float* a;
  const float* b;
  bool one_a, one_b;  // a single element that meets all of the other operand
  float* y;           // may be a or b, where that is not a single element
  float lower, upper;
};

using BinaryF32Fn = void(const BinaryF32Args& args);

// The functions of one instruction set. A NaN operand gives NaN in all of them.
struct BinaryF32Set {
  BinaryF32Fn* add;
  BinaryF32Fn* subtract;
  BinaryF32Fn* multiply;
  BinaryF32Fn* divide;
  BinaryF32Fn* min;
  BinaryF32Fn* max;
  BinaryF32Fn* squared_difference;
};

extern const BinaryF32Set binary_f32__scalar, binary_f32__avx2,
    binary_f32__avx512, binary_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_H_
