// Settings by name: listing them, checking and setting their values, and who
// chose which.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTING_VALUES_H_
#define MACE_RUNTIME_SETTING_VALUES_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/model/model_settings.h"
#include "mace/runtime/settings.h"

namespace mace {

// A setting, its type and the value that it has where nobody chooses one.
struct SettingInfo {
  enum Type : uint8_t { kSwitch, kNumber, kText, kList };
  Setting setting;
  Type type;
  std::optional<SettingValue> initial;  // not set: that of the device
};

// All of them, in the order of Settings::Fields.
std::vector<SettingInfo> AllSettings();

// The value that a text such as "4" or "views,concat" stands for; "none" is the
// empty list. Errors: MACE_INVALID_ARGS, naming the setting, what was found
// and what is allowed.
Result<SettingValue> ParseSetting(const SettingInfo& info,
                                  const std::string& text);

// "4", "views,concat" or "none": the text of a value.
std::string ToText(const SettingValue& value);

// The settings of an engine, and which of them somebody chose.
class ChosenSettings {
 public:
  // Both change nothing on errors: MACE_INVALID_ARGS for a setting that there
  // is not, or a value that it cannot have.
  Status Set(const std::string& name, const SettingValue& value);
  Status SetText(const std::string& name, const std::string& text);

  // Takes those that `other` chose and this did not.
  void Fill(const ChosenSettings& other);

  Settings values;

 private:
  std::set<std::string> chosen_;
};

// What a model says of its engines. A setting that only later releases know, or
// a value of it, is left out with a warning in the log.
// Errors: MACE_UNSUPPORTED, naming the setting, if results depend on it.
Result<ChosenSettings> ReadModelSettings(
    const std::vector<ModelSetting>& settings);

}  // namespace mace

#endif  // MACE_RUNTIME_SETTING_VALUES_H_
