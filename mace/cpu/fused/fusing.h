// What decides whether convolutions are computed by lines, in floats and in
// quantized values alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_FUSED_FUSING_H_
#define MACE_CPU_FUSED_FUSING_H_

#include <cstdint>

#include "mace/base/status.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/gemm/patches.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/device.h"

namespace mace::cpu {

// The fewest pixels of a step, about: each step reads the filter of the 1x1
// convolution once.
constexpr int64_t kFewRows = 56;

// Returns whether the output is too large for the second-level cache. A smaller
// tensor before a depthwise convolution stays there; then computing some lines
// twice costs more than fusing gains. The threshold is the same for all caches,
// so that a model takes as much memory on one machine as on another.
inline bool IsFar(const ConvShape& s, int64_t element_bytes) {
  constexpr int64_t kFarBytes = 1 << 20;
  return s.window.h.out * s.window.w.out * s.out_channels * element_bytes >=
         kFarBytes;
}

// Returns whether it is a 1x1 convolution without stride, padding and groups,
// whose input is a matrix as it is.
inline bool IsPointwise(const ConvShape& s) {
  const Patches patches = {s.window, s.batch, s.in_channels, s.in_channels};
  return s.group == 1 && patches.is_matrix();
}

// Returns whether all nodes that can be fused must be: tuning and tests ask for
// it.
inline bool IsFusionForced(const CpuContext& context) {
  return context.asked != nullptr && context.asked->fusion == Fusion::kAlways;
}

// Returns the error for nodes that could be fused but stay apart.
inline Status NotWorthFusing(const FusedNode& link) {
  return Unsupported(Label(*link.node), ": gains nothing from being fused");
}

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSING_H_
