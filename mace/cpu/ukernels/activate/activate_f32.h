// f32 activation micro-kernels: y = f(x), element by element.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_
#define MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_

#include <cstddef>

namespace mace::cpu {

struct ActivateF32Args {
  size_t n;
  const float* x;
  float* y;    // may be x
  float a, b;  // parameters, see below
};

using ActivateF32Fn = void(const ActivateF32Args& args);

// The functions of one instruction set.
struct ActivateF32Set {
  ActivateF32Fn* clamp;         // min(max(x, a), b)
  ActivateF32Fn* tanh;          //
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

// ActivateF32Set::clamp, for libraries that need no other function.
extern ActivateF32Fn *const clamp_f32__scalar,
    *const clamp_f32__avx2, *const clamp_f32__avx512, *const clamp_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_H_
