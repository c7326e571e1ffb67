// CpuContext: the state that the CPU kernels of one engine share.
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

// Given to every function that prepares a kernel. Belongs to one CpuDevice;
// copies, with other plans or caches, are made to try something out. Not
// thread-safe while it is changed; kernels keep what they need of it.
struct CpuContext {
  ThreadPool* threads = nullptr;    // not owned; must outlive the kernels
  CpuFeatures features = 0;         // micro-kernels may use these
  PackedWeights* packed = nullptr;  // not owned; engines may share it
  // The largest output tile of Winograd convolutions: 2, 4 or 6. 1: none; 0:
  // none, and no Strassen's method either.
  int max_winograd = 4;
  // FullyConnected of 8-bit values rounds its results once, not twice.
  bool fc_rounds_once = false;
  // Use only the scalar reference kernels, against which tests compare; a
  // library for apps has none.
#ifdef MACE_LIBRARY
  static constexpr bool reference = false;
#else
  bool reference = false;
#endif
  // For choosing block sizes, and for the cost model.
  cpu::CacheSizes caches = {};
  // How the current nodes must be computed; null: as the cost model chooses.
  const cpu::StepPlan* asked = nullptr;

  // Returns the plan of node `link` of a fused kernel (0 if it is a single
  // node) from `asked`, or null if there is none.
  const cpu::NodePlan* asked_of(size_t link) const {
    return asked != nullptr && link < asked->nodes.size() ? &asked->nodes[link]
                                                          : nullptr;
  }
};

namespace cpu {

// Returns the largest output tile for which this library has Winograd kernels;
// 1, which CpuContext::max_winograd reads as none, if it has none.
int LargestWinograd();

}  // namespace cpu
}  // namespace mace

#endif  // MACE_CPU_COMMON_CPU_CONTEXT_H_
