// Settings as the model file has them: names and values, not yet their meaning.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_MODEL_SETTINGS_H_
#define MACE_MODEL_MODEL_SETTINGS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mace {

using SettingValue =
    std::variant<int64_t, double, std::string, std::vector<std::string>>;

// What the deployment file said of engines. mace/runtime knows the settings.
struct ModelSetting {
  std::string name;
  // Whether an engine that does not know it must refuse the model.
  bool changes_results = false;
  SettingValue value;
};

}  // namespace mace

#endif  // MACE_MODEL_MODEL_SETTINGS_H_
