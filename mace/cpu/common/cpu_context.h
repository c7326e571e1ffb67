// CpuContext: what the CPU kernels of one engine share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CPU_CONTEXT_H_
#define MACE_CPU_COMMON_CPU_CONTEXT_H_

#include <memory>

#include "mace/base/cpu_features.h"
#include "mace/base/thread_pool.h"
#include "mace/cpu/common/cache_sizes.h"
#include "mace/cpu/common/kernel_plan.h"
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
  // What blocks are made to fit, and what the cost model reckons with.
  cpu::CacheSizes caches = {};
  // How the nodes at hand are to be computed; null: as the cost model has it.
  const cpu::StepPlan* asked = nullptr;

  // Of them, the plan of node `link`; null if there is none.
  const cpu::NodePlan* asked_of(size_t link) const {
    return asked != nullptr && link < asked->nodes.size() ? &asked->nodes[link]
                                                          : nullptr;
  }
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_CPU_CONTEXT_H_
