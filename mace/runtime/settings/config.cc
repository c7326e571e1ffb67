// MaceEngineConfig and the settings that apply to all engines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/config.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <set>

#include "mace/base/aligned_buffer.h"
#include "mace/base/c_locale.h"
#include "mace/base/cpu_topology.h"
#include "mace/base/fork.h"
#include "mace/base/str_cat.h"
#include "mace/base/thread_pool.h"
#include "mace/base/version.h"
#include "mace/runtime/settings/gpu_settings.h"
#include "mace/runtime/settings/op_resolver.h"

namespace mace {
namespace {

struct Defaults {
  Mutex mutex;
  MaceEngineConfig::Impl config;
};

Defaults& GetDefaults() {
  static auto* defaults = new Defaults;
  return *defaults;
}

static_assert(Settings::kMaxThreads == ThreadPool::kMaxThreads);

Status CheckNumThreads(int num_threads) {
  if (num_threads <= ThreadPool::kMaxThreads) return Status();
  return InvalidArgument(num_threads, " threads are too many; the limit is ",
                         ThreadPool::kMaxThreads);
}

int64_t ThreadsOrDefault(int num_threads) {
  return num_threads > 0 ? num_threads : -1;
}

}  // namespace

Status MaceEngineConfig::Impl::SetAll(
    std::initializer_list<std::pair<const char*, SettingValue>> values) {
  ChosenSettings changed = settings;
  for (const auto& [name, value] : values) {
    MACE_RETURN_IF_ERROR(changed.Set(name, value));
  }
  settings = std::move(changed);
  return Status();
}

Status CheckThreads(const MaceEngineConfig::Impl& config) {
  MACE_RETURN_IF_ERROR(CheckNumThreads(config.settings.values.num_threads));
  for (int id : config.core_ids) {
    if (id >= 0 && id < CPU_SETSIZE) continue;
    return InvalidArgument("core ", id, " is out of range; cores are 0 to ",
                           CPU_SETSIZE - 1);
  }
  return Status();
}

Status CheckHeaders(const MaceEngineConfig::Impl& config) {
  const int version = config.header_version;
  constexpr int kMajor = 1000000, kMinor = 1000;
  if (version / kMajor == MACE_VERSION_MAJOR &&
      version / kMinor <= MACE_VERSION_NUMBER / kMinor) {
    return Status();
  }
  return InvalidArgument(
      "the app was compiled with the headers of MACE ", version / kMajor, '.',
      version % kMajor / kMinor, '.', version % kMinor,
      " and runs with the library of version ", kVersion,
      ": compile it with the include/ folder that came with this library");
}

MaceEngineConfig::MaceEngineConfig(DeviceType device_type, int header_version)
    : impl_(std::make_unique<Impl>()) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<Mutex> lock(defaults.mutex);
  *impl_ = defaults.config;
  impl_->device_type = device_type;
  impl_->header_version = header_version;
}

MaceEngineConfig::~MaceEngineConfig() = default;

MaceEngineConfig::MaceEngineConfig(const MaceEngineConfig& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}

MaceEngineConfig& MaceEngineConfig::operator=(const MaceEngineConfig& other) {
  *impl_ = *other.impl_;
  return *this;
}

MaceStatus MaceEngineConfig::Set(const std::string& name,
                                 const std::string& value) {
  MACE_RETURN_IF_ERROR(impl_->settings.SetText(name, value));
  if (name == "num_threads" || name == "cpu_affinity_policy") {
    impl_->core_ids.clear();
  }
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetCPUThreadPolicy(int num_threads,
                                                CPUAffinityPolicy policy) {
  MACE_RETURN_IF_ERROR(CheckNumThreads(num_threads));
  MACE_RETURN_IF_ERROR(
      impl_->SetAll({{"num_threads", ThreadsOrDefault(num_threads)},
                     {"cpu_affinity_policy", int64_t{policy}}}));
  impl_->core_ids.clear();
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetMemoryStrategy(const std::string& strategy) {
  return impl_->settings.Set("memory_strategy", strategy);
}

MaceStatus MaceEngineConfig::SetRequire(DeviceType device, double share) {
  const char* const name = device == CPU       ? "cpu"
                           : device == GPU     ? "gpu"
                           : device == HEXAGON ? "dsp"
                                               : nullptr;
  if (name == nullptr || !(share >= 0 && share <= 1)) {
    return InvalidArgument(
        "SetRequire: expected CPU, GPU or HEXAGON and a "
        "share from 0 to 1, found device type ",
        static_cast<int>(device), " and ", share);
  }
  const CLocale c_locale;
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.17g", share);
  std::vector<std::string> all = {StrCat(name, "=", digits)};
  const std::string prefix = StrCat(name, "=");
  for (const std::string& item : impl_->settings.values.require) {
    if (item.compare(0, prefix.size(), prefix) != 0) all.push_back(item);
  }
  return impl_->settings.Set("require", std::move(all));
}

MaceStatus MaceEngineConfig::SetDriverProbe(const std::string& program,
                                            int timeout_ms) {
  return impl_->SetAll(
      {{"driver_probe", program}, {"driver_probe_ms", int64_t{timeout_ms}}});
}

MaceStatus MaceEngineConfig::SetWinograd(int largest_tile) {
  return impl_->settings.Set("winograd", int64_t{largest_tile});
}

void MaceEngineConfig::SetMemorySavings(const MaceMemorySavings& savings) {
  std::vector<std::string> names;
  for (const auto& [name, wanted] :
       {std::pair("order", savings.order), std::pair("views", savings.views),
        std::pair("in_place", savings.in_place),
        std::pair("concat", savings.concat),
        std::pair("overlap", savings.overlap)}) {
    if (wanted) names.emplace_back(name);
  }
  (void)impl_->settings.Set("memory_savings", std::move(names));
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
  return impl_->SetAll({{"gpu_perf_hint", int64_t{perf_hint}},
                        {"gpu_priority_hint", int64_t{priority_hint}}});
}

MaceStatus MaceEngineConfig::SetGPUDataType(const std::string& data_type) {
  return impl_->settings.Set("gpu_data_type", data_type);
}

void MaceEngineConfig::SetFloat32Nodes(const std::vector<std::string>& names) {
  std::set<std::string> different(names.begin(), names.end());
  different.erase("");
  (void)impl_->settings.Set(
      "float32_nodes",
      std::vector<std::string>(different.begin(), different.end()));
}

void MaceEngineConfig::SetNumericCheck(bool check) {
  (void)impl_->settings.Set("check_numerics", int64_t{check});
}

MaceStatus MaceEngineConfig::SetGPULimits(int kernel_micros, int queue_window) {
  return impl_->SetAll({{"gpu_kernel_micros", int64_t{kernel_micros}},
                        {"gpu_queue_window", int64_t{queue_window}}});
}

MaceStatus MaceEngineConfig::SetHexagonPower(HexagonNNCornerType corner,
                                             bool dcvs_enable, int latency_us) {
  return impl_->SetAll({{"dsp_corner", int64_t{corner}},
                        {"dsp_dcvs", int64_t{dcvs_enable}},
                        {"dsp_latency_us", int64_t{latency_us}}});
}

MaceStatus MaceEngineConfig::SetHexagonToUnsignedPD() {
  return impl_->settings.Set("dsp_unsigned_pd", int64_t{1});
}

MaceStatus MaceEngineConfig::SetTuning(int budget_ms, const std::string& file) {
  return impl_->SetAll(
      {{"tuning_ms", int64_t{budget_ms}}, {"tuning_file", file}});
}

void MaceEngineConfig::SetMemoryLimit(size_t bytes) {
  constexpr uint64_t kLimit = std::numeric_limits<int64_t>::max();
  (void)impl_->settings.Set(
      "memory_limit",
      static_cast<int64_t>(std::min(static_cast<uint64_t>(bytes), kLimit)));
}

void MaceEngineConfig::SetOpResolver(const MaceOpResolver& resolver) {
  impl_->ops = resolver.impl()->ops;
}

void MaceEngineConfig::SetGuard(bool guard) {
  (void)impl_->settings.Set("guard", int64_t{guard});
}

MaceStatus SetOpenMPThreadPolicy(int num_threads_hint,
                                 CPUAffinityPolicy policy) {
  MACE_RETURN_IF_ERROR(CheckNumThreads(num_threads_hint));
  Defaults& defaults = GetDefaults();
  std::lock_guard<Mutex> lock(defaults.mutex);
  MACE_RETURN_IF_ERROR(defaults.config.SetAll(
      {{"num_threads", ThreadsOrDefault(num_threads_hint)},
       {"cpu_affinity_policy", int64_t{policy}}}));
  defaults.config.core_ids.clear();
  return MaceStatus();
}

void SetOpenMPThreadAffinity(int num_threads, const std::vector<int>& cpu_ids) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<Mutex> lock(defaults.mutex);
  // A number that is too large becomes an error when an engine is created.
  defaults.config.settings.values.num_threads = num_threads;
  defaults.config.core_ids = cpu_ids;
}

MaceStatus GetBigLittleCoreIDs(std::vector<int>* big_core_ids,
                               std::vector<int>* little_core_ids) {
  if (big_core_ids == nullptr || little_core_ids == nullptr) {
    return InvalidArgument("GetBigLittleCoreIDs: a list is null");
  }
  const std::vector<CpuCore> cores = ReadCpuCores();
  *big_core_ids = SelectCores(cores, AFFINITY_BIG_ONLY);
  *little_core_ids = SelectCores(cores, AFFINITY_LITTLE_ONLY);
  return MaceStatus();
}

void SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint) {
  Defaults& defaults = GetDefaults();
  std::lock_guard<Mutex> lock(defaults.mutex);
  (void)defaults.config.SetAll({{"gpu_perf_hint", int64_t{perf_hint}},
                                {"gpu_priority_hint", int64_t{priority_hint}}});
}

}  // namespace mace
