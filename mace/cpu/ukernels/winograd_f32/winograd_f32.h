// f32 micro-kernels that take tiles of a 3x3 convolution to Winograd's domain
// and back: F(M, 3) computes M x M outputs from A x A inputs, A = M + 2, with
// A x A multiplications per pair of channels instead of 9 M x M.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_H_
#define MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_H_

#include <cstddef>

namespace mace::cpu {

struct WinogradInputF32 {
  size_t channels;
  const float* const* x;   // [A][A] pixels of `channels` floats
  float* v;                // element i of [A][A]: `channels` floats at
  ptrdiff_t v_stride;      // v + i * v_stride, those of a vector side by side
  ptrdiff_t group_stride;  // floats from vector to vector: its lanes or more
};

struct WinogradOutputF32 {
  size_t channels;
  const float* m;  // element i of [A][A]: `channels` floats at
  ptrdiff_t m_stride;
  const float* bias;  // `channels` floats; null: zeros
  float* y;
  ptrdiff_t line_stride, pixel_stride;  // of y, floats
  size_t height, width;                 // of the tile that is written, 1 to M
  float lower, upper;
};

// `n` filters side by side.
struct WinogradFilterF32 {
  size_t n;
  const float* taps;  // [9][taps_stride], the first n of each
  ptrdiff_t taps_stride;
  float* u;            // element i of [A][A]: n floats at
  ptrdiff_t u_stride;  // u + i * u_stride
};

using WinogradInputF32Fn = void(const WinogradInputF32& tile);
using WinogradOutputF32Fn = void(const WinogradOutputF32& tile);
using WinogradFilterF32Fn = void(const WinogradFilterF32& filters);

// The functions of one instruction set, for M = 2, 4 and 6.
struct WinogradF32Set {
  int lanes;  // floats of a vector
  WinogradInputF32Fn* input[3];
  WinogradOutputF32Fn* output[3];
  WinogradFilterF32Fn* filter[3];
};

extern const WinogradF32Set winograd_f32__scalar, winograd_f32__avx2,
    winograd_f32__avx512, winograd_f32__neon;

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_H_
