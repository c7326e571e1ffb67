// Setting where compiled GPU programs are stored.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/gpu_settings.h"

#include <mutex>

#include "mace/base/fork.h"

namespace mace {
namespace {

Mutex& TheMutex() {
  static auto* mutex = new Mutex;
  return *mutex;
}

GpuSettings& CurrentSettings() {
  static auto* settings = new GpuSettings;
  return *settings;
}

}  // namespace

GpuSettings GetGpuSettings() {
  std::lock_guard<Mutex> lock(TheMutex());
  return CurrentSettings();
}

void SetKVStorageFactory(std::shared_ptr<KVStorageFactory> storage_factory) {
  std::lock_guard<Mutex> lock(TheMutex());
  CurrentSettings().storage_factory = std::move(storage_factory);
}

void ConfigKVStorageFactory(std::shared_ptr<KVStorageFactory> storage_factory) {
  SetKVStorageFactory(std::move(storage_factory));
}

void SetOpenCLBinaryPaths(const std::vector<std::string>& paths) {
  std::lock_guard<Mutex> lock(TheMutex());
  CurrentSettings().binary_paths = paths;
}

}  // namespace mace
