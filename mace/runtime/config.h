// What a MaceEngineConfig holds, and the process-wide defaults behind the free
// functions of mace_runtime.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_CONFIG_H_
#define MACE_RUNTIME_CONFIG_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace {

class MaceEngineConfig::Impl {
 public:
  DeviceType device_type = CPU;
  int num_threads = -1;  // <= 0: as many as there are cores to run on
  CPUAffinityPolicy affinity_policy = AFFINITY_NONE;
  std::vector<int> core_ids;  // given one by one; overrides the policy
  GPUPerfHint gpu_perf_hint = PERF_DEFAULT;
  GPUPriorityHint gpu_priority_hint = PRIORITY_DEFAULT;
  std::shared_ptr<GPUContext> gpu_context;  // null: the process's settings
  bool gpu_fp16 = true;                     // activations and weights as fp16
  int gpu_kernel_micros = 0;                // 0: kernels are not split
  int gpu_queue_window = 0;
  int tuning_budget_ms = 0;
  std::string tuning_file;  // empty: that of the context, or its store
  std::string memory_strategy = "AUTO";
  MaceMemorySavings memory_savings;
  void* arena = nullptr;  // the caller's; null: the engine allocates
  size_t arena_bytes = 0;
  int64_t memory_limit = 0;  // bytes; 0: what the machine has
  bool guard = false;
  bool check_numerics = false;
  std::set<std::string> float32_nodes;  // not as fp16
  int winograd = -1;  // -1: as the model says, or else the device's default
};

// Errors: MACE_INVALID_ARGS for a number of threads or a core that there cannot
// be, with the limit.
Status CheckThreads(const MaceEngineConfig::Impl& config);

}  // namespace mace

#endif  // MACE_RUNTIME_CONFIG_H_
