// Convolutions by their definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

void ReferenceConv(ConvKind kind, const ConvShape& s,
                   const ActivationFunction& activation, const float* x,
                   const float* w, const float* b, float* y) {
  const Window2D& window = s.window;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t p = 0; p < window.h.out; ++p) {
      for (int64_t q = 0; q < window.w.out; ++q) {
        for (int64_t o = 0; o < s.out_channels; ++o) {
          const double bias = b != nullptr ? b[o] : 0;
          *y++ = static_cast<float>(ReferenceActivation(
              activation, ConvSum(kind, s, x, w, p, q, o, bias)));
        }
      }
    }
    x += window.h.in * window.w.in * s.in_channels;
  }
}

}  // namespace mace::cpu
