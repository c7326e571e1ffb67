// The phases of a transposed convolution's stride, each an ordinary
// convolution.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs whose indices are equal modulo the stride use the same taps, as in a
// convolution of stride 1. Computing them together avoids multiplying by the
// zeros between the inputs:
//
//   stride 2, kernel 3    outputs 0, 2, 4, ...: taps 2, 0 of inputs i - 1, i
//                         outputs 1, 3, 5, ...: tap 1 of input i
#ifndef MACE_CPU_CONV_DECONV_PHASES_H_
#define MACE_CPU_CONV_DECONV_PHASES_H_

#include <string>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/activation.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

// The outputs first, first + stride, ... of one dimension.
struct Phase {
  int64_t first = 0;
  std::vector<int64_t> taps;  // in the order of the inputs that they meet
  Window window;  // if there are no taps, no input reaches these outputs
};
// Returns the min(stride, out) phases of one dimension.
std::vector<Phase> PhasesOf(const Window& w);

// Describes all but the filter's shape that determines the taps of the phases,
// as part of the name of packed filters.
std::string DescribePhases(const Window2D& window);

// Fills all `n` outputs with the value of those that no input reaches: the
// activated bias, which has `channels` elements or is null. REQUIRES: n is a
// multiple of `channels`, and both are above 0.
void FillWithoutInputs(ThreadPool* threads, const ActivationFunction& act,
                       int64_t n, int64_t channels, const float* bias,
                       float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_DECONV_PHASES_H_
