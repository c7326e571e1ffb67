// CpuContext: what the CPU kernels of one engine share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CPU_CONTEXT_H_
#define MACE_CPU_COMMON_CPU_CONTEXT_H_

#include <memory>

#include "mace/base/cpu_features.h"
#include "mace/base/thread_pool.h"
#include "mace/cpu/common/kernel_choice.h"
#include "mace/device/packed_weights.h"

namespace mace {

struct CpuContext {
  ThreadPool* threads = nullptr;    // not owned; outlives the kernels
  CpuFeatures features = 0;         // which micro-kernels may be chosen
  PackedWeights* packed = nullptr;  // not owned; shared between engines
  // The largest tile of Winograd convolutions: 0 (none), 2, 4 or 6.
  int max_winograd = 4;
  // Only scalar reference kernels: what tests compare against.
  bool reference = false;
  // For the node at hand.
  cpu::KernelChoice choice = {};
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_CPU_CONTEXT_H_
