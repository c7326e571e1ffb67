// Settings by name: lists them, parses, checks and sets their values, and
// remembers which of them somebody chose.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_SETTING_VALUES_H_
#define MACE_RUNTIME_SETTINGS_SETTING_VALUES_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/model/model_settings.h"
#include "mace/runtime/settings/settings.h"

namespace mace {

// A setting, its type and its default. Switches and numbers are int64_t in a
// SettingValue, texts std::string, lists and shares std::vector<std::string>.
struct SettingInfo {
  // kShares: a list of "device=share".
  enum Type : uint8_t { kSwitch, kNumber, kText, kList, kShares };
  Setting setting;
  Type type;
  std::optional<SettingValue> initial;  // not set: the device chooses

  bool is_list() const { return type == kList || type == kShares; }
};

// Returns all settings, in the order of Settings::Fields.
const std::vector<SettingInfo>& AllSettings();

// Parses a text such as "4" or "views,concat"; "none" and the empty text are
// the empty list.
// Errors: MACE_INVALID_ARGS, with the setting, what was found and what is
// allowed.
Result<SettingValue> ParseSetting(const SettingInfo& info,
                                  const std::string& text);

// Formats a value: "4", "views,concat" or "none".
std::string ToText(const SettingValue& value);

// An item of a list of shares (Setting::Shares).
struct DeviceShare {
  std::string device;  // "cpu", "gpu" or "dsp"
  double share;        // from 0 to 1
};
// Errors: MACE_INVALID_ARGS, with what is allowed.
Result<DeviceShare> ParseShare(const Setting& setting, const std::string& item);

// The settings of an engine, and which of them somebody chose.
class ChosenSettings {
 public:
  // Neither function changes anything on an error. Errors: MACE_INVALID_ARGS
  // for an unknown setting, or for a value that it cannot have.
  Status Set(const std::string& name, const SettingValue& value);
  Status SetText(const std::string& name, const std::string& text);

  // Copies the settings that `other` chose and this object did not.
  void Fill(const ChosenSettings& other);

  // Whether somebody chose the setting, even if the value is the default.
  bool is_chosen(const std::string& name) const {
    return chosen_.count(name) > 0;
  }

  // Set and SetText check values and mark them as chosen; writing to a field
  // here does neither.
  Settings values;

 private:
  std::set<std::string> chosen_;
};

// Reads the settings that a model file carries. A setting or a value that this
// release does not know, or that no model may carry, is ignored with a warning
// in the log. Errors: MACE_UNSUPPORTED, with the name of the setting, if
// results depend on it.
Result<ChosenSettings> ReadModelSettings(
    const std::vector<ModelSetting>& settings);

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_SETTING_VALUES_H_
