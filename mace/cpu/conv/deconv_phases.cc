// Which taps contribute to which outputs of a transposed convolution.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/deconv_phases.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mace/base/str_cat.h"

namespace mace::cpu {

std::vector<Phase> PhasesOf(const Window& w) {
  std::vector<Phase> phases;
  for (int64_t first = 0; first < std::min(w.stride, w.out); ++first) {
    Phase phase;
    phase.first = first;
    int64_t top = 0;  // the input that the first tap meets for the first output
    for (int64_t k = w.kernel - 1; k >= 0; --k) {
      const int64_t at = first + w.pad_before - k * w.dilation;
      if (at % w.stride != 0) continue;
      if (phase.taps.empty()) top = at / w.stride;
      phase.taps.push_back(k);
    }
    phase.window.in = w.in;
    phase.window.out = (w.out - first + w.stride - 1) / w.stride;
    phase.window.kernel = static_cast<int64_t>(phase.taps.size());
    phase.window.dilation = w.dilation / std::gcd(w.dilation, w.stride);
    phase.window.pad_before = -top;
    phases.push_back(std::move(phase));
  }
  return phases;
}

std::string DescribePhases(const Window2D& window) {
  std::string text;
  for (const Window* w : {&window.h, &window.w}) {
    text += StrCat(", stride ", w->stride, " dilation ", w->dilation, " from ",
                   w->pad_before, " to ", w->out);
  }
  return text;
}

void FillWithoutInputs(ThreadPool* threads, const ActivationFunction& act,
                       int64_t n, int64_t channels, const float* bias,
                       float* y) {
  for (int64_t c = 0; c < channels; ++c) {
    y[c] = static_cast<float>(
        ReferenceActivation(act, bias != nullptr ? bias[c] : 0));
  }
  threads->ParallelFor(n / channels - 1, 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      std::copy(y, y + channels, y + (i + 1) * channels);
    }
  });
}

}  // namespace mace::cpu
