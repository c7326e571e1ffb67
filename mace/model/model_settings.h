// Settings as the model file has them: names and values, without their meaning.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_MODEL_SETTINGS_H_
#define MACE_MODEL_MODEL_SETTINGS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mace {

// The value of a setting: one of the types of mace.proto, Setting.
using SettingValue =
    std::variant<int64_t, double, std::string, std::vector<std::string>>;

// A setting from the deployment file. mace/runtime gives it a meaning.
struct ModelSetting {
  std::string name;
  // Whether an engine that does not know the setting must refuse the model.
  bool changes_results = false;
  SettingValue value;
};

}  // namespace mace

#endif  // MACE_MODEL_MODEL_SETTINGS_H_
