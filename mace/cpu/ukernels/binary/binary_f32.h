// Binary micro-kernels of f32, and of f16 as uint16_t: y = clamp(f(a, b)),
// element by element.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_BINARY_BINARY_F32_H_
#define MACE_CPU_UKERNELS_BINARY_BINARY_F32_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

template <typename T>
struct BinaryArgs {
  size_t n;
  const T* a;
  const T* b;
  bool one_a, one_b;  // the operand is a single element, used for all n
  T* y;               // may be a or b if that is not a single element
  float lower, upper;
};

template <typename T>
using BinaryFn = void(const BinaryArgs<T>& args);

// The functions of one instruction set. If an operand is NaN, so is the result.
template <typename T>
struct BinarySet {
  BinaryFn<T>* add;
  BinaryFn<T>* subtract;
  BinaryFn<T>* multiply;
  BinaryFn<T>* divide;
  BinaryFn<T>* min;
  BinaryFn<T>* max;
  BinaryFn<T>* squared_difference;
};

// One of them. Those that convolutions need stand apart, so that a library
// without Eltwise has no others.
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
