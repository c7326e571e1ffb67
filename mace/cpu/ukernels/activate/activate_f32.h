// f32 activation micro-kernels: y = f(x), element by element.
// SPDX-License-Identifier: Apache-2.0
//
// NaN stays NaN. Errors in comparison with double precision, as
// activate_f32_test bounds them for |x| <= 80 (gelu and gelu_tanh: 8), are at
// most 4 units of the last place (ulp), with these exceptions:
//
//   hard_sigmoid   64 ulp, since a x + b cancels where it is near 0
//   hard_swish     2^-23 (|x| + |y|), for the same reason
//   gelu           4e-7 (1 + x^2) times the result
//   gelu_tanh      4e-7 (1 + |z|) times the result, where z = x (a + b x^2) / 2
#ifndef MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_
#define MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_

#include <cstddef>

namespace mace::cpu {

// n elements of x and y, which need only the alignment of a float; nothing
// behind them is read or written.
struct ActivateF32Args {
  size_t n;  // may be 0
  const float* x;
  float* y;    // may be x; otherwise does not overlap it
  float a, b;  // parameters, see below; ignored by functions that have none
};

using ActivateF32Fn = void(const ActivateF32Args& args);

// The functions of one instruction set. Callers pass attributes of their op as
// a and b (Activator::Choose), except for:
//
//   clamp        a = lower, b = upper; an infinity: no bound
//   elu          b = 1; for SELU a = 1.6732632, b = 1.0507010
//   hard_swish   a = 1/6, b = 1/2
//   swish        a = 1 if the attribute is 0
//   gelu_tanh    a = 2 sqrt(2 / pi), b = 0.044715 a; the definition by tanh is
//                this one, as (1 + tanh(z)) / 2 = 1 / (1 + exp(-2 z))
struct ActivateF32Set {
  ActivateF32Fn* clamp;         // min(max(x, a), b)
  ActivateF32Fn* tanh;          // (exp(2 x) - 1) / (exp(2 x) + 1)
  ActivateF32Fn* sigmoid;       // 1 / (1 + exp(-x))
  ActivateF32Fn* leaky_relu;    // x < 0 ? a x : x
  ActivateF32Fn* elu;           // b (x < 0 ? a (exp(x) - 1) : x)
  ActivateF32Fn* hard_sigmoid;  // min(max(a x + b, 0), 1)
  ActivateF32Fn* hard_swish;    // x min(max(a x + b, 0), 1)
  ActivateF32Fn* softplus;      // log(1 + exp(x))
  ActivateF32Fn* softsign;      // x / (1 + |x|)
  ActivateF32Fn* gelu;          // x times the normal distribution function
  ActivateF32Fn* swish;         // x / (1 + exp(-a x))
  ActivateF32Fn* gelu_tanh;     // x / (1 + exp(-x (a + b x^2)))
};

extern const ActivateF32Set activate_f32__scalar, activate_f32__avx2,
    activate_f32__avx512, activate_f32__neon;

// ActivateF32Set::clamp, for libraries that need no other function: a set keeps
// all of its functions in a library.
extern ActivateF32Fn *const clamp_f32__scalar,
    *const clamp_f32__avx2, *const clamp_f32__avx512, *const clamp_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_
