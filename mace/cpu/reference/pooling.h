// Pooling by its definition.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_POOLING_H_
#define MACE_CPU_REFERENCE_POOLING_H_

#include "mace/cpu/common/activation.h"
#include "mace/ops/common/window.h"
#include "mace/ops/pooling.h"

namespace mace::cpu {

struct PoolShape {
  PoolingType type = PoolingType::kMax;
  bool count_include_pad = false;
  Window2D window;
  int64_t batch = 0;
  int64_t channels = 0;
};

// The taps of output i that lie inside the input: `count` of them from tap
// `first` on. Tap k reads input start + k * dilation.
struct Taps {
  int64_t start = 0;
  int64_t first = 0;
  int64_t count = 0;
};
Taps TapsInside(const Window& w, int64_t i);

// Returns the divisor of the mean over window (p, q).
int64_t PoolCount(const PoolShape& s, int64_t p, int64_t q);

void ReferencePooling(const PoolShape& s, const ActivationFunction& activation,
                      const float* x, float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_POOLING_H_
