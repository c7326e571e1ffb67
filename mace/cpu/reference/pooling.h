// Pooling by its definition.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_REFERENCE_POOLING_H_
#define MACE_CPU_REFERENCE_POOLING_H_

#include "mace/cpu/common/activation.h"
#include "mace/ops/common/window.h"
#include "mace/ops/pooling.h"

namespace mace::cpu {

// Of x [batch, in_h, in_w, channels] to y [batch, out_h, out_w, channels].
struct PoolShape {
  PoolingType type = PoolingType::kMax;
  // Whether padding counts, as zeros, in a mean and in a mean of squares.
  bool count_include_pad = false;
  Window2D window;
  int64_t batch = 0;
  int64_t channels = 0;
};

// The taps of output i, along one dimension, that lie inside the input: `count`
// of them from tap `first` on. Tap first + k reads input start + k * dilation.
struct Taps {
  int64_t start = 0;
  int64_t first = 0;
  int64_t count = 0;
};
// `count` is 0 for a window that lies in padding only.
Taps TapsInside(const Window& w, int64_t i);

// Returns the divisor of the mean over window (p, q): with count_include_pad
// the number of its taps inside the padded input, else inside the input, at
// least 1.
int64_t PoolCount(const PoolShape& s, int64_t p, int64_t q);

// Computes y: the max (-inf of no taps, NaN wins), the mean, or the root of the
// mean of squares, and the activation; rounded once. Dense tensors; y does not
// overlap x. On the calling thread.
void ReferencePooling(const PoolShape& s, const ActivationFunction& activation,
                      const float* x, float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_REFERENCE_POOLING_H_
