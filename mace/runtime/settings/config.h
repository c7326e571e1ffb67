// The contents of a MaceEngineConfig, and the process-wide defaults that the
// free functions of mace_runtime.h set.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_CONFIG_H_
#define MACE_RUNTIME_SETTINGS_CONFIG_H_

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "mace/base/status.h"
#include "mace/plan/known_ops.h"
#include "mace/public/mace.h"
#include "mace/runtime/settings/setting_values.h"

namespace mace {

class Workspace;

// An engine copies it when it is created, so that the app may change or destroy
// its config then. Pointers are not owned unless they are shared.
class MaceEngineConfig::Impl {
 public:
  DeviceType device_type = CPU;
  int header_version = MACE_VERSION_NUMBER;  // that the app was compiled with
  ChosenSettings settings;
  std::vector<int> core_ids;  // if not empty, overrides the affinity policy
  std::shared_ptr<GPUContext> gpu_context;  // null: those of the process
  std::vector<int32_t> offline_plan;        // empty: none
  void* arena = nullptr;  // the caller's; null: the engine allocates
  size_t arena_bytes = 0;
  std::shared_ptr<Workspace> workspace;  // of other engines; null: its own
  KnownOps ops;

  // Sets all values or, on an error, none of them. Errors: MACE_INVALID_ARGS.
  Status SetAll(
      std::initializer_list<std::pair<const char*, SettingValue>> values);
};

// Errors: MACE_INVALID_ARGS, with the limit, for more threads than
// ThreadPool::kMaxThreads or a core that is out of range.
Status CheckThreads(const MaceEngineConfig::Impl& config);

// Errors: MACE_UNSUPPORTED if the app asks for tuning and this library does not
// tune.
Status CheckTuning(const MaceEngineConfig::Impl& config);
// Whether this library tunes, and keeps results in stores.
bool CanTune();

// Errors: MACE_INVALID_ARGS if the app was compiled with headers that do not
// fit this library, with both versions.
Status CheckHeaders(const MaceEngineConfig::Impl& config);

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_CONFIG_H_
