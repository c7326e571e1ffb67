// What an app would set with the component `interfaces`.
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/base/logging.h"
#include "mace/public/mace_op.h"
#include "mace/public/mace_runtime.h"
#include "mace/runtime/settings/config.h"

namespace mace {
namespace {

// Fails, with the reason in the log.
class NoStorage final : public KVStorage {
 public:
  int Load() override { return Fail(); }
  bool Insert(const std::string&, const std::vector<unsigned char>&) override {
    return Fail() == 0;
  }
  const std::vector<unsigned char>* Find(const std::string&) override {
    return nullptr;
  }
  int Flush() override { return Fail(); }

 private:
  static int Fail() {
    LOG(ERROR)
        << AbsentComponent("FileStorageFactory", "interfaces").information();
    return -1;
  }
};

}  // namespace

class FileStorageFactory::Impl {};

FileStorageFactory::FileStorageFactory(const std::string&) : impl_(new Impl) {}

FileStorageFactory::~FileStorageFactory() = default;

std::unique_ptr<KVStorage> FileStorageFactory::CreateStorage(
    const std::string&) {
  return std::make_unique<NoStorage>();
}

bool CanTune() { return false; }

Status CheckTuning(const MaceEngineConfig::Impl& config) {
  const Settings& settings = config.settings.values;
  if (settings.tuning_ms <= 0 && settings.tuning_file.empty()) return Status();
  return AbsentComponent("SetTuning", "interfaces");
}

MaceStatus MaceOpResolver::AddCustom(const mace_op_registration_t&) {
  return AbsentComponent("AddCustom", "interfaces");
}

}  // namespace mace
