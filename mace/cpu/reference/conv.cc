// Convolutions by their definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {
namespace {

// Calls at(n, p, q, o, &y) for each element of the output.
template <typename At>
void ForEachOutput(const ConvShape& s, float* y, const At& at) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t p = 0; p < s.window.h.out; ++p) {
      for (int64_t q = 0; q < s.window.w.out; ++q) {
        for (int64_t o = 0; o < s.out_channels; ++o) *y++ = at(n, p, q, o);
      }
    }
  }
}

// Returns the input coordinate of tap k of output i, or -1 for padding.
int64_t InputAt(const Window& w, int64_t i, int64_t k) {
  const int64_t at = i * w.stride - w.pad_before + k * w.dilation;
  return at >= 0 && at < w.in ? at : -1;
}

// The same for a transposed convolution: the input that contributes to output i
// through tap k, or -1.
int64_t TransposedInputAt(const Window& w, int64_t i, int64_t k) {
  const int64_t at = i + w.pad_before - k * w.dilation;
  if (at < 0 || at % w.stride != 0 || at / w.stride >= w.in) return -1;
  return at / w.stride;
}

// `in(window, i, k)` is InputAt or TransposedInputAt. `filter(o, c)` returns
// the taps between output channel o and input channel c of its group.
template <typename In, typename Filter>
void Convolve(const ConvShape& s, const ActivationFunction& activation,
              const float* x, const float* b, float* y, const In& in,
              const Filter& filter) {
  const Window &h = s.window.h, &w = s.window.w;
  ForEachOutput(s, y, [&](int64_t n, int64_t p, int64_t q, int64_t o) {
    double sum = b != nullptr ? b[o] : 0;
    const int64_t first = o / s.out_per_group() * s.in_per_group();
    for (int64_t r = 0; r < h.kernel; ++r) {
      const int64_t row = in(h, p, r);
      for (int64_t t = 0; row >= 0 && t < w.kernel; ++t) {
        const int64_t column = in(w, q, t);
        if (column < 0) continue;
        const float* pixel =
            x + ((n * h.in + row) * w.in + column) * s.in_channels + first;
        for (int64_t c = 0; c < s.in_per_group(); ++c) {
          sum += double{pixel[c]} * filter(o, c)[r * w.kernel + t];
        }
      }
    }
    return static_cast<float>(ReferenceActivation(activation, sum));
  });
}

}  // namespace

void ReferenceConv(const ConvShape& s, const ActivationFunction& activation,
                   const float* x, const float* w, const float* b, float* y) {
  Convolve(s, activation, x, b, y, InputAt, [&](int64_t o, int64_t c) {
    return w + (o * s.in_per_group() + c) * s.taps();
  });
}

void ReferenceDepthwise(const ConvShape& s,
                        const ActivationFunction& activation, const float* x,
                        const float* w, const float* b, float* y) {
  const int64_t multiplier = s.out_per_group();
  Convolve(s, activation, x, b, y, InputAt, [&](int64_t o, int64_t) {
    const int64_t m = o % multiplier, c = o / multiplier;
    return w + (m * s.in_channels + c) * s.taps();
  });
}

void ReferenceDeconv(const ConvShape& s, const ActivationFunction& activation,
                     const float* x, const float* w, const float* b, float* y) {
  Convolve(s, activation, x, b, y, TransposedInputAt,
           [&](int64_t o, int64_t c) {
             return w + (o * s.in_per_group() + c) * s.taps();
           });
}

}  // namespace mace::cpu
