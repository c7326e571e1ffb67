// Convolutions by their definition: plain loops, which sum floats in double.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_CONV_H_
#define MACE_CPU_REFERENCE_CONV_H_

#include "mace/cpu/common/activation.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

// A convolution of x [batch, in_h, in_w, in_channels] to y [batch, out_h,
// out_w, out_channels]; in_h and the other sizes are those of `window`. `group`
// divides both numbers of channels: output channels of a group read its input
// channels only.
// channels of x   | group 0 | group 1 |     in_per_group each
//                      |         |
// channels of y   | group 0 | group 1 |     out_per_group each
struct ConvShape {
  Window2D window;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t group = 1;

  int64_t in_per_group() const { return in_channels / group; }
  int64_t out_per_group() const { return out_channels / group; }
  // The convolution is a GEMM for each group: [rows(), taps() * in_per_group()]
  // times [taps() * in_per_group(), out_per_group()].
  int64_t rows() const { return batch * window.h.out * window.w.out; }
  int64_t taps() const { return window.h.kernel * window.w.kernel; }
};

// How a filter lies, and which way a window goes.
enum class ConvKind {
  kPlain,       // filter [out_channels, in_per_group, kernel_h, kernel_w]
  kDepthwise,   // [multiplier, in_channels, kernel_h, kernel_w]; each channel
                // is a group
  kTransposed,  // as kPlain
};

// Returns the input along one dimension that tap `k` of output `i` reads; -1
// for padding. A transposed convolution is read backwards: input j adds to
// outputs j * stride - pad_before + k * dilation.
inline int64_t ConvInputAt(ConvKind kind, const Window& w, int64_t i,
                           int64_t k) {
  if (kind != ConvKind::kTransposed) {
    const int64_t at = i * w.stride - w.pad_before + k * w.dilation;
    return at >= 0 && at < w.in ? at : -1;
  }
  const int64_t at = i + w.pad_before - k * w.dilation;
  if (at < 0 || at % w.stride != 0) return -1;
  return at / w.stride < w.in ? at / w.stride : -1;
}

// Returns `sum` and the products of output channel `o` at (p, q) of an image.
// `image` is x of one element of the batch; `filter` is that of all channels.
// Sum is double for floats, or an integer type that holds all sums.
template <typename Sum, typename X, typename W>
Sum ConvSum(ConvKind kind, const ConvShape& s, const X* image, const W* filter,
            int64_t p, int64_t q, int64_t o, Sum sum) {
  const Window &h = s.window.h, &w = s.window.w;
  const int64_t depth = s.in_per_group(), multiplier = s.out_per_group();
  const int64_t first = o / multiplier * depth;
  const int64_t column_of_w =
      kind == ConvKind::kDepthwise
          ? o % multiplier * s.in_channels + o / multiplier
          : o * depth;
  for (int64_t r = 0; r < h.kernel; ++r) {
    const int64_t row = ConvInputAt(kind, h, p, r);
    for (int64_t t = 0; row >= 0 && t < w.kernel; ++t) {
      const int64_t column = ConvInputAt(kind, w, q, t);
      if (column < 0) continue;
      const X* x = image + (row * w.in + column) * s.in_channels + first;
      const W* taps = filter + column_of_w * s.taps() + r * w.kernel + t;
      for (int64_t c = 0; c < depth; ++c) {
        sum += static_cast<Sum>(x[c]) * taps[c * s.taps()];
      }
    }
  }
  return sum;
}

// Computes y = act(conv(x, w) + b), rounded once. `b` has out_channels
// elements, or is null. x, w and y are dense; y does not overlap the others. On
// the calling thread.
void ReferenceConv(ConvKind kind, const ConvShape& s,
                   const ActivationFunction& activation, const float* x,
                   const float* w, const float* b, float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_CONV_H_
