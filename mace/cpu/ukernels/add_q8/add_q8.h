// Micro-kernels that add two quantized tensors, to the bit as TFLite's
// reference kernels do.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_
#define MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// A factor in fixed point, with two roundings (see requantize_q8.h).
struct AddQ8Factor {
  int32_t mantissa;  // 0, or at least 2^30
  int32_t right;     // in [0, 30]
};

// (value - zero_point) * 2^20 of each operand is scaled by its factor; their
// sum or difference is scaled by the factor of y and gets its zero point.
// REQUIRES: the factors of operands are at most 1/2, that of y less than 1.
struct AddQ8Args {
  struct Operand {
    const uint8_t* quantized;
    int32_t zero_point;
    AddQ8Factor factor;
  };
  size_t n;
  Operand a, b;
  bool subtract;
  bool is_unsigned;  // values are uint8_t, else int8_t
  AddQ8Factor factor;
  int32_t zero_point;
  int32_t least, most;  // values; `most` wins
  uint8_t* y;           // may be a's or b's values
};

constexpr int kAddQ8Bits = 20;

using AddQ8Fn = void(const AddQ8Args& args);

AddQ8Fn add_q8__scalar, add_q8__avx2, add_q8__avx512, add_q8__neon,
    add_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_
