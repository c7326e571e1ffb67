// Pooling by its definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/reference/pooling.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/blocking.h"

namespace mace::cpu {
namespace {

// Returns how many taps of output i lie in the input or in its padding.
int64_t PaddedTaps(const Window& w, int64_t i) {
  const int64_t end = w.in + w.pad_before + w.pad_after;
  return std::min(w.kernel, CeilDiv(end - i * w.stride, w.dilation));
}

double Pool(const PoolShape& s, const float* x, int64_t p, int64_t q) {
  const Window &h = s.window.h, &w = s.window.w;
  const Taps rows = TapsInside(h, p), columns = TapsInside(w, q);
  const bool is_max = s.type == PoolingType::kMax;
  double result = is_max ? -INFINITY : 0;
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t t = 0; t < columns.count; ++t) {
      const int64_t row = rows.start + r * h.dilation;
      const int64_t column = columns.start + t * w.dilation;
      const double v = x[(row * w.in + column) * s.channels];
      if (is_max) {
        result = v > result || std::isnan(v) ? v : result;
      } else {
        result += s.type == PoolingType::kL2 ? v * v : v;
      }
    }
  }
  if (is_max) return result;
  result /= PoolCount(s, p, q);
  return s.type == PoolingType::kL2 ? std::sqrt(result) : result;
}

}  // namespace

Taps TapsInside(const Window& w, int64_t i) {
  const int64_t origin = i * w.stride - w.pad_before;
  Taps taps;
  taps.first = origin < 0 ? CeilDiv(-origin, w.dilation) : 0;
  taps.start = origin + taps.first * w.dilation;
  const int64_t last = std::min(w.kernel, CeilDiv(w.in - origin, w.dilation));
  taps.count = std::max<int64_t>(last - taps.first, 0);
  return taps;
}

int64_t PoolCount(const PoolShape& s, int64_t p, int64_t q) {
  const Window &h = s.window.h, &w = s.window.w;
  if (s.count_include_pad) return PaddedTaps(h, p) * PaddedTaps(w, q);
  return std::max<int64_t>(TapsInside(h, p).count * TapsInside(w, q).count, 1);
}

void ReferencePooling(const PoolShape& s, const ActivationFunction& activation,
                      const float* x, float* y) {
  const Window &h = s.window.h, &w = s.window.w;
  for (int64_t n = 0; n < s.batch; ++n) {
    const float* image = x + n * h.in * w.in * s.channels;
    for (int64_t p = 0; p < h.out; ++p) {
      for (int64_t q = 0; q < w.out; ++q) {
        for (int64_t c = 0; c < s.channels; ++c) {
          *y++ = static_cast<float>(
              ReferenceActivation(activation, Pool(s, image + c, p, q)));
        }
      }
    }
  }
}

}  // namespace mace::cpu
