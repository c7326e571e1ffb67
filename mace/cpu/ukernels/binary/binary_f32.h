// Binary micro-kernels of f32, and of f16 as uint16_t: y = clamp(f(a, b)),
// element by element.
// SPDX-License-Identifier: Apache-2.0
//
// An operand is n elements, or one for all n: Eltwise and its broadcasting come
// down to rows of these kinds, and convolutions add their addend row by row.
//
//   one_a  one_b
//   false  false    a a a a . b b b b
//   true   false    a         b b b b
//   false  true     a a a a . b
//
// The clamp is that of an activation that follows, RELU or RELUX. In fp16, each
// operation is rounded to fp16: squared_difference rounds the difference, then
// its square.
#ifndef MACE_CPU_UKERNELS_BINARY_BINARY_F32_H_
#define MACE_CPU_UKERNELS_BINARY_BINARY_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The operands of a call. T is float, or uint16_t for fp16. They need no more
// than the alignment of an element; n elements of y are written, and nothing
// behind them is read or written.
template <typename T>
struct BinaryArgs {
  size_t n;  // may be 0
  const T* a;
  const T* b;
  // Whether the operand is a single element, used for all n. REQUIRES: if both
  // are true, n is at most 1.
  bool one_a, one_b;
  // May be an operand that has n elements; otherwise overlaps neither.
  T* y;
  // The clamp, not NaN; fp16 rounds both to fp16. -infinity and infinity: none,
  // which takes less time.
  float lower, upper;
};

template <typename T>
using BinaryFn = void(const BinaryArgs<T>& args);

// The functions of one instruction set. If an operand is NaN, the result is
// NaN, also that of min and max. Null: the type has no such function.
template <typename T>
struct BinarySet {
  BinaryFn<T>* add;
  BinaryFn<T>* subtract;  // a - b
  BinaryFn<T>* multiply;
  BinaryFn<T>* divide;  // a / b
  BinaryFn<T>* min;
  BinaryFn<T>* max;
  BinaryFn<T>* squared_difference;  // (a - b)^2
};

// One function of a set. A set keeps all of its functions in a library; so
// `add` and `subtract` also stand apart, for libraries with convolutions but
// without Eltwise: addends need `add`, Strassen's algorithm needs both.
template <typename T>
struct BinaryOne {
  BinaryFn<T>* run;
};

using BinaryF32Args = BinaryArgs<float>;
using BinaryF32Fn = BinaryFn<float>;
using BinaryF32Set = BinarySet<float>;
using BinaryF32One = BinaryOne<float>;
using BinaryF16Fn = BinaryFn<uint16_t>;
using BinaryF16Set = BinarySet<uint16_t>;  // min, max, divide: null
using BinaryF16One = BinaryOne<uint16_t>;

extern const BinaryF32Set binary_f32__scalar, binary_f32__avx2,
    binary_f32__avx512, binary_f32__neon;
extern const BinaryF16Set binary_f16__scalar, binary_f16__fp16;

extern const BinaryF32One binary_add_f32__scalar, binary_add_f32__avx2,
    binary_add_f32__avx512, binary_add_f32__neon;
extern const BinaryF32One binary_subtract_f32__scalar,
    binary_subtract_f32__avx2, binary_subtract_f32__avx512,
    binary_subtract_f32__neon;
extern const BinaryF16One binary_add_f16__scalar, binary_add_f16__fp16;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_BINARY_F32_H_
