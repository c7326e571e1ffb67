// MaceEngineConfig and the settings that apply to all engines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/config.h"

#include <sched.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "mace/base/aligned_buffer.h"
#include "mace/base/cpu_topology.h"
#include "mace/base/thread_pool.h"
#include "mace/plan/plan.h"
#include "mace/runtime/gpu_settings.h"

namespace mace {
namespace {

constexpr int kMaxQueueWindow = 65536;

struct Defaults {
  std::mutex mutex;
  MaceEngineConfig::Impl config;
};

Defaults& GetDefaults() {
  static auto* defaults = new Defaults;
  return *defaults;
}

Status CheckPolicy(CPUAffinityPolicy policy) {
  if (policy < AFFINITY_NONE || policy > AFFINITY_POWER_SAVE) {
    return InvalidArgument("CPU affinity policy " +
                           std::to_string(static_cast<int>(policy)) +
                           " is not one of 0 to 4");
  }
  return Status();
}

Status CheckNumThreads(int num_threads) {
  if (num_threads <= ThreadPool::kMaxThreads) return Status();
  return InvalidArgument(std::to_string(num_threads) +
                         " threads are too many; the limit is " +
                         std::to_string(ThreadPool::kMaxThreads));
}

}  // namespace

Status CheckThreads(const MaceEngineConfig::Impl& config) {
  MACE_RETURN_IF_ERROR(CheckNumThreads(config.num_threads));
  for (int id : config.core_ids) {
    if (id >= 0 && id < CPU_SETSIZE) continue;
    return InvalidArgument("core " + std::to_string(id) +
                           " cannot be; cores are 0 to " +
                           std::to_string(CPU_SETSIZE - 1));
  }
  return Status();
}

MaceEngineConfig::MaceEngineConfig(DeviceType device_type)
    : impl_(std::make_unique<Impl>()) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<std::mutex> lock(defaults.mutex);
  *impl_ = defaults.config;
  impl_->device_type = device_type;
}

MaceEngineConfig::~MaceEngineConfig() = default;

MaceEngineConfig::MaceEngineConfig(const MaceEngineConfig& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}

MaceEngineConfig& MaceEngineConfig::operator=(const MaceEngineConfig& other) {
  *impl_ = *other.impl_;
  return *this;
}

MaceStatus MaceEngineConfig::SetCPUThreadPolicy(int num_threads,
                                                CPUAffinityPolicy policy) {
  MACE_RETURN_IF_ERROR(CheckPolicy(policy));
  MACE_RETURN_IF_ERROR(CheckNumThreads(num_threads));
  impl_->num_threads = num_threads;
  impl_->affinity_policy = policy;
  impl_->core_ids.clear();
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetMemoryStrategy(const std::string& strategy) {
  MACE_RETURN_IF_ERROR(CheckMemoryStrategy(strategy));
  impl_->memory_strategy = strategy;
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetWinograd(int largest_tile) {
  if (largest_tile < 0 || largest_tile > 6 || largest_tile % 2 != 0) {
    return InvalidArgument(
        "SetWinograd: the largest tile must be 0, 2, 4 or 6, got " +
        std::to_string(largest_tile));
  }
  impl_->winograd = largest_tile;
  return MaceStatus();
}

void MaceEngineConfig::SetMemorySavings(const MaceMemorySavings& savings) {
  impl_->memory_savings = savings;
}

MaceStatus MaceEngineConfig::SetArena(void* data, size_t size) {
  const size_t off = reinterpret_cast<uintptr_t>(data) % kAlignment;
  if (data == nullptr || off != 0) {
    return InvalidArgument(
        data == nullptr ? std::string("SetArena: the buffer is null")
                        : "SetArena: the buffer starts " + std::to_string(off) +
                              " bytes after a 64-byte boundary; align it");
  }
  impl_->arena = data;
  impl_->arena_bytes = size;
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetGPUContext(
    std::shared_ptr<GPUContext> context) {
  if (context == nullptr) {
    return InvalidArgument(
        "SetGPUContext: null; GPUContextBuilder().Finalize() makes one");
  }
  impl_->gpu_context = std::move(context);
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetGPUHints(GPUPerfHint perf_hint,
                                         GPUPriorityHint priority_hint) {
  if (perf_hint < PERF_DEFAULT || perf_hint > PERF_HIGH ||
      priority_hint < PRIORITY_DEFAULT || priority_hint > PRIORITY_HIGH) {
    return InvalidArgument("SetGPUHints: the hints must be 0 to 3, got " +
                           std::to_string(static_cast<int>(perf_hint)) +
                           " and " +
                           std::to_string(static_cast<int>(priority_hint)));
  }
  impl_->gpu_perf_hint = perf_hint;
  impl_->gpu_priority_hint = priority_hint;
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetGPUDataType(const std::string& data_type) {
  if (data_type != "fp16_fp32" && data_type != "fp32_fp32") {
    return InvalidArgument("there is no GPU data type '" + data_type +
                           "'; choose fp16_fp32 or fp32_fp32");
  }
  impl_->gpu_fp16 = data_type == "fp16_fp32";
  return MaceStatus();
}

void MaceEngineConfig::SetFloat32Nodes(const std::vector<std::string>& names) {
  impl_->float32_nodes = {names.begin(), names.end()};
}

void MaceEngineConfig::SetNumericCheck(bool check) {
  impl_->check_numerics = check;
}

MaceStatus MaceEngineConfig::SetGPULimits(int kernel_micros, int queue_window) {
  if (kernel_micros < 0 || queue_window < 0 || queue_window > kMaxQueueWindow) {
    return InvalidArgument(
        "SetGPULimits: the time must not be below 0 and the window be 0 to " +
        std::to_string(kMaxQueueWindow) + ", got " +
        std::to_string(kernel_micros) + " us and " +
        std::to_string(queue_window));
  }
  impl_->gpu_kernel_micros = kernel_micros;
  impl_->gpu_queue_window = queue_window;
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetTuning(int budget_ms, const std::string& file) {
  if (budget_ms < 0) {
    return InvalidArgument(
        "SetTuning: the budget must be 0 (nothing is measured) or more "
        "milliseconds, got " +
        std::to_string(budget_ms));
  }
  impl_->tuning_budget_ms = budget_ms;
  impl_->tuning_file = file;
  return MaceStatus();
}

void MaceEngineConfig::SetMemoryLimit(size_t bytes) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  impl_->memory_limit =
      static_cast<int64_t>(std::min(static_cast<uint64_t>(bytes), kMost));
}

void MaceEngineConfig::SetGuard(bool guard) { impl_->guard = guard; }

MaceStatus SetOpenMPThreadPolicy(int num_threads_hint,
                                 CPUAffinityPolicy policy) {
  MACE_RETURN_IF_ERROR(CheckPolicy(policy));
  MACE_RETURN_IF_ERROR(CheckNumThreads(num_threads_hint));
  Defaults& defaults = GetDefaults();
  std::lock_guard<std::mutex> lock(defaults.mutex);
  defaults.config.num_threads = num_threads_hint;
  defaults.config.affinity_policy = policy;
  defaults.config.core_ids.clear();
  return MaceStatus();
}

void SetOpenMPThreadAffinity(int num_threads, const std::vector<int>& cpu_ids) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<std::mutex> lock(defaults.mutex);
  defaults.config.num_threads = num_threads;
  defaults.config.core_ids = cpu_ids;
}

MaceStatus GetBigLittleCoreIDs(std::vector<int>* big_core_ids,
                               std::vector<int>* little_core_ids) {
  if (big_core_ids == nullptr || little_core_ids == nullptr) {
    return InvalidArgument("GetBigLittleCoreIDs: both lists are needed");
  }
  const std::vector<CpuCore> cores = ReadCpuCores();
  *big_core_ids = SelectCores(cores, AFFINITY_BIG_ONLY);
  *little_core_ids = SelectCores(cores, AFFINITY_LITTLE_ONLY);
  return MaceStatus();
}

void SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<std::mutex> lock(defaults.mutex);
  defaults.config.gpu_perf_hint = perf_hint;
  defaults.config.gpu_priority_hint = priority_hint;
}

}  // namespace mace
