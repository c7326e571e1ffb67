// Visitors of the fields of Settings.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/setting_values.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "mace/base/c_locale.h"
#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

constexpr char kNone[] = "none";  // the text of an empty list

// What is done with each field. One class for all purposes, as Settings::Fields
// is long.
class Visitor {
 public:
  virtual void operator()(const Setting& s, bool& field) = 0;
  virtual void operator()(const Setting& s, int& field) = 0;
  virtual void operator()(const Setting& s, int64_t& field) = 0;
  virtual void operator()(const Setting& s, std::optional<int>& field) = 0;
  virtual void operator()(const Setting& s, std::string& field) = 0;
  virtual void operator()(const Setting& s,
                          std::vector<std::string>& field) = 0;

 protected:
  ~Visitor() = default;
};

void Visit(Settings& settings, Visitor& visitor) { settings.Fields(visitor); }

// Collects the descriptions, and the values of the fields as defaults.
struct Lister final : Visitor {
  std::vector<SettingInfo> list;

  void operator()(const Setting& s, bool& field) override {
    Add(s, SettingInfo::kSwitch, int64_t{field});
  }
  void operator()(const Setting& s, int& field) override {
    Add(s, SettingInfo::kNumber, int64_t{field});
  }
  void operator()(const Setting& s, int64_t& field) override {
    Add(s, SettingInfo::kNumber, field);
  }
  void operator()(const Setting& s, std::optional<int>& field) override {
    Add(s, SettingInfo::kNumber, int64_t{field.value_or(0)});
    if (!field) list.back().initial.reset();
  }
  void operator()(const Setting& s, std::string& field) override {
    Add(s, SettingInfo::kText, field);
  }
  void operator()(const Setting& s, std::vector<std::string>& field) override {
    Add(s, s.shares ? SettingInfo::kShares : SettingInfo::kList, field);
  }
  void Add(const Setting& s, SettingInfo::Type type, SettingValue value) {
    list.push_back({s, type, std::move(value)});
  }
};

// Sets the field of one setting. REQUIRES: the value has the setting's type.
struct Assigner final : Visitor {
  Assigner(const std::string& name_of_it, const SettingValue& new_value)
      : name(name_of_it), value(new_value) {}

  void operator()(const Setting& s, bool& field) override {
    if (s.name == name) field = *std::get_if<int64_t>(&value) != 0;
  }
  void operator()(const Setting& s, int& field) override {
    if (s.name == name) field = static_cast<int>(*std::get_if<int64_t>(&value));
  }
  void operator()(const Setting& s, int64_t& field) override {
    if (s.name == name) field = *std::get_if<int64_t>(&value);
  }
  void operator()(const Setting& s, std::optional<int>& field) override {
    if (s.name == name) field = static_cast<int>(*std::get_if<int64_t>(&value));
  }
  void operator()(const Setting& s, std::string& field) override {
    if (s.name == name) field = *std::get_if<std::string>(&value);
  }
  void operator()(const Setting& s, std::vector<std::string>& field) override {
    if (s.name == name) field = *std::get_if<std::vector<std::string>>(&value);
  }

  const std::string& name;
  const SettingValue& value;
};

std::string Joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) {
    text += StrCat(text.empty() ? "" : between, word);
  }
  return text;
}

// Returns a text such as "a whole number from 0 to 3" or "-1, or a whole number
// from 1 to 1024".
std::string RangeOf(const Setting& s) {
  std::string text;
  for (const int64_t value : s.also) text += StrCat(value, ", or ");
  return StrCat(text, "a whole number from ", s.least, " to ", s.most);
}

Status Wrong(const Setting& s, const std::string& found,
             const std::string& expected) {
  return InvalidArgument(s.name, ": '", found, "' is not ", expected);
}

bool IsChoice(const Setting& s, const std::string& word) {
  return Contains(s.choices, word);
}

Status CheckNumber(const SettingInfo& info, int64_t value) {
  const Setting& s = info.setting;
  const std::string found = std::to_string(value);
  if (info.type == SettingInfo::kSwitch) {
    return value == 0 || value == 1 ? Status() : Wrong(s, found, "0 or 1");
  }
  if (!s.choices.empty()) {
    return IsChoice(s, found)
               ? Status()
               : Wrong(s, found, StrCat("one of ", Joined(s.choices, ", ")));
  }
  const bool is_other = Contains(s.also, value);
  return is_other || (value >= s.least && value <= s.most)
             ? Status()
             : Wrong(s, found, RangeOf(s));
}

Status CheckList(const Setting& s, const std::vector<std::string>& items) {
  std::set<std::string> seen;
  for (const std::string& item : items) {
    if (!s.choices.empty() && item == kNone) {
      return InvalidArgument(s.name,
                             ": 'none' stands alone; leave it out, or the "
                             "others");
    }
    if (!s.choices.empty() && !IsChoice(s, item)) {
      return Wrong(s, item,
                   StrCat("one of ", Joined(s.choices, ", "), ", ", kNone));
    }
    if (item.empty()) return InvalidArgument(s.name, ": an item is empty");
    if (!seen.insert(item).second) {
      return InvalidArgument(s.name, ": '", item, "' appears twice");
    }
  }
  return Status();
}

Status CheckShares(const Setting& s, const std::vector<std::string>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    MACE_ASSIGN_OR_RETURN(const DeviceShare share, ParseShare(s, items[i]));
    const std::string prefix = StrCat(share.device, "=");
    for (size_t k = 0; k < i; ++k) {
      if (items[k].compare(0, prefix.size(), prefix) != 0) continue;
      return InvalidArgument(s.name, ": '", share.device, "' appears twice");
    }
  }
  return Status();
}

Status CheckText(const Setting& s, const std::string& text) {
  return s.choices.empty() || IsChoice(s, text)
             ? Status()
             : Wrong(s, text, StrCat("one of ", Joined(s.choices, ", ")));
}

// Errors: MACE_INVALID_ARGS if the setting cannot have this value.
Status Check(const SettingInfo& info, const SettingValue& value) {
  const bool is_number =
      info.type == SettingInfo::kSwitch || info.type == SettingInfo::kNumber;
  if (const auto* number = std::get_if<int64_t>(&value); number && is_number) {
    return CheckNumber(info, *number);
  }
  if (const auto* text = std::get_if<std::string>(&value);
      text && info.type == SettingInfo::kText) {
    return CheckText(info.setting, *text);
  }
  if (const auto* items = std::get_if<std::vector<std::string>>(&value);
      items && info.is_list()) {
    return info.type == SettingInfo::kShares ? CheckShares(info.setting, *items)
                                             : CheckList(info.setting, *items);
  }
  return InvalidArgument(info.setting.name,
                         ": the value has the wrong type; it must be ",
                         is_number                         ? "a number"
                         : info.type == SettingInfo::kText ? "a text"
                                                           : "a list");
}

// Errors: MACE_INVALID_ARGS, with the list of settings.
Result<const SettingInfo*> FindSetting(const std::string& name) {
  std::vector<std::string> names;
  for (const SettingInfo& info : AllSettings()) {
    if (info.setting.name == name) return &info;
    names.push_back(info.setting.name);
  }
  return InvalidArgument("there is no setting '", name, "'; the settings are ",
                         Joined(names, ", "));
}

// Adds `setting` to `chosen` if this release knows it.
Status AddModelSetting(const ModelSetting& setting, ChosenSettings* chosen) {
  const auto info = FindSetting(setting.name);
  const bool known = info.ok() && (*info)->setting.in_model;
  const Status status =
      known ? chosen->Set(setting.name, setting.value)
            : InvalidArgument(info.ok() ? "models do not carry it"
                                        : "it is not known");
  if (status.ok()) return Status();
  const std::string what =
      StrCat("the model's setting '", setting.name,
             "' is not usable with this release of the library (",
             status.information(), ")");
  if (setting.changes_results || (known && (*info)->setting.changes_results)) {
    return Unsupported(what,
                       ", and results depend on it; use a release that knows "
                       "it, or convert the model again with the converter of "
                       "this one");
  }
  LOG(WARNING) << what << "; results do not depend on it, and it is ignored";
  return Status();
}

}  // namespace

const std::vector<SettingInfo>& AllSettings() {
  static const auto* const all = [] {
    Settings settings;
    Lister lister;
    Visit(settings, lister);
    return new std::vector<SettingInfo>(std::move(lister.list));
  }();
  return *all;
}

Result<SettingValue> ParseSetting(const SettingInfo& info,
                                  const std::string& text) {
  const Setting& s = info.setting;
  SettingValue value = text;
  if (info.is_list()) {
    std::vector<std::string> items;
    for (size_t at = 0; !text.empty() && text != kNone && at <= text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      items.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    value = std::move(items);
  } else if (info.type != SettingInfo::kText) {
    char* end = nullptr;
    errno = 0;
    const int64_t number = std::strtoll(text.c_str(), &end, 10);
    const bool digits = text.find_first_not_of("-0123456789") == text.npos;
    if (text.empty() || !digits || *end != '\0' || errno != 0) {
      return Wrong(s, text,
                   info.type == SettingInfo::kSwitch ? "0 or 1"
                   : s.choices.empty()
                       ? RangeOf(s)
                       : StrCat("one of ", Joined(s.choices, ", ")));
    }
    value = number;
  }
  MACE_RETURN_IF_ERROR(Check(info, value));
  return value;
}

Result<DeviceShare> ParseShare(const Setting& setting,
                               const std::string& item) {
  const size_t equals = std::min(item.find('='), item.size());
  DeviceShare share = {item.substr(0, equals), -1};
  const bool is_device =
      share.device == "cpu" || share.device == "gpu" || share.device == "dsp";
  const std::string number = item.substr(std::min(equals + 1, item.size()));
  const CLocale c_locale;
  char* end = nullptr;
  share.share = std::strtod(number.c_str(), &end);
  const bool is_number =
      !number.empty() && *end == '\0' &&
      number.find_first_not_of("0123456789.eE-+") == std::string::npos;
  if (is_device && is_number && share.share >= 0 && share.share <= 1) {
    return share;
  }
  return Wrong(setting, item,
               "a device (cpu, gpu or dsp), '=' and a share from 0 to 1, such "
               "as gpu=0.9");
}

std::string ToText(const SettingValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return std::to_string(*number);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    return items->empty() ? kNone : Joined(*items, ",");
  }
  return std::to_string(*std::get_if<double>(&value));
}

Status ChosenSettings::Set(const std::string& name, const SettingValue& value) {
  MACE_ASSIGN_OR_RETURN(const SettingInfo* const info, FindSetting(name));
  MACE_RETURN_IF_ERROR(Check(*info, value));
  Assigner assigner(name, value);
  Visit(values, assigner);
  chosen_.insert(name);
  return Status();
}

Status ChosenSettings::SetText(const std::string& name,
                               const std::string& text) {
  MACE_ASSIGN_OR_RETURN(const SettingInfo* const info, FindSetting(name));
  MACE_ASSIGN_OR_RETURN(const SettingValue value, ParseSetting(*info, text));
  return Set(name, value);
}

void ChosenSettings::Fill(const ChosenSettings& other) {
  Settings theirs = other.values;
  Lister lister;
  Visit(theirs, lister);
  for (const SettingInfo& info : lister.list) {
    const std::string& name = info.setting.name;
    if (other.chosen_.count(name) == 0 || !chosen_.insert(name).second) {
      continue;
    }
    Assigner assigner(name, *info.initial);
    Visit(values, assigner);
  }
}

Result<ChosenSettings> ReadModelSettings(
    const std::vector<ModelSetting>& settings) {
  ChosenSettings chosen;
  for (const ModelSetting& setting : settings) {
    MACE_RETURN_IF_ERROR(AddModelSetting(setting, &chosen));
  }
  return chosen;
}

}  // namespace mace
