// Convolutions by their definition: plain loops with sums in double precision.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_CONV_H_
#define MACE_CPU_REFERENCE_CONV_H_

#include "mace/cpu/common/activation.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

// A convolution of x [batch, in_h, in_w, in_channels] to y [batch, out_h,
// out_w, out_channels].
struct ConvShape {
  Window2D window;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t group = 1;

  int64_t in_per_group() const { return in_channels / group; }
  int64_t out_per_group() const { return out_channels / group; }
  int64_t rows() const { return batch * window.h.out * window.w.out; }
  int64_t taps() const { return window.h.kernel * window.w.kernel; }
};

// `w` is [out_channels, in_per_group, kernel_h, kernel_w]. `b` has out_channels
// elements, or is null.
void ReferenceConv(const ConvShape& s, const ActivationFunction& activation,
                   const float* x, const float* w, const float* b, float* y);

// `w` is [multiplier, in_channels, kernel_h, kernel_w]. REQUIRES: s.group ==
// s.in_channels.
void ReferenceDepthwise(const ConvShape& s,
                        const ActivationFunction& activation, const float* x,
                        const float* w, const float* b, float* y);

// The transposed convolution. `w` is as in ReferenceConv.
void ReferenceDeconv(const ConvShape& s, const ActivationFunction& activation,
                     const float* x, const float* w, const float* b, float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_CONV_H_
