// The phases of a transposed convolution's stride, each an ordinary
// convolution. SPDX-License-Identifier: Apache-2.0
//
// Outputs that are equal modulo the stride see the same taps, and see them as a
// convolution of stride 1 would, so that no multiplication with the zeros
// between the inputs is made:
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
  std::vector<int64_t> taps;  // in the order of the inputs that they see
  Window window;              // without taps: no input reaches these outputs
};
std::vector<Phase> PhasesOf(const Window& w);

// What the phases depend on, for naming packed filters.
std::string DescribePhases(const Window2D& window);

// All `n` outputs as those that no input reaches are: the activated bias, which
// has `channels` elements or is null.
void FillWithoutInputs(ThreadPool* threads, const ActivationFunction& act,
                       int64_t n, int64_t channels, const float* bias,
                       float* y);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_DECONV_PHASES_H_
