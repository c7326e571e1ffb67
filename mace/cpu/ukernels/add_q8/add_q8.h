// Micro-kernels that add or subtract two quantized tensors, with the same bits
// as TFLite's reference kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Element i of the output, with the functions fa, fb and fy that scale by the
// factors of a, b and y:
//
//   p = fa((a[i] - a.zero_point) * 2^20)
//   q = fb((b[i] - b.zero_point) * 2^20)
//   y[i] = clamp(fy(p + q, or p - q) + zero_point, least, most)
//
// With the scales sa, sb and sy and u = 2 max(sa, sb), the factors are sa / u,
// sb / u and u / (2^20 sy), so that p and q count units of u / 2^20. At least
// one of the first two factors is exactly 1/2, for which some micro-kernels
// have faster code.
#ifndef MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_
#define MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// A factor in fixed point, with two roundings (see requantize_q8.h):
// mantissa / 2^31 / 2^right. x is multiplied by mantissa / 2^31 and rounded to
// the nearest, ties up; then divided by 2^right and rounded to the nearest,
// ties away from zero.
struct AddQ8Factor {
  int32_t mantissa;  // 0, which scales every x to 0, or at least 2^30
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
  size_t n;  // may be 0
  Operand a, b;
  bool subtract;     // a - b
  bool is_unsigned;  // values are uint8_t, else int8_t
  AddQ8Factor factor;
  int32_t zero_point;
  int32_t least, most;  // bounds of y, in the range of its type; `most` wins
  uint8_t* y;           // a.quantized, b.quantized, or disjoint from both
};

// Operands are shifted to the left by kAddQ8Bits, so that their roundings lose
// little. A value less its zero point has 9 bits with its sign:
// (value - zero_point) * 2^20 is below 2^28 in magnitude, halves of it below
// 2^27, and sums of two halves below 2^28.
constexpr int kAddQ8Bits = 20;

// Keeps no state. The operands need no alignment; nothing behind n elements is
// read or written.
using AddQ8Fn = void(const AddQ8Args& args);

AddQ8Fn add_q8__scalar, add_q8__avx2, add_q8__avx512, add_q8__neon,
    add_q8__aarch64;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ADD_Q8_ADD_Q8_H_
