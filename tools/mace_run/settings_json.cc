// From descriptions to JSON.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/settings_json.h"

#include "mace/runtime/settings/setting_values.h"

namespace mace::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* NameOf(SettingInfo::Type type) {
  switch (type) {
    case SettingInfo::kSwitch:
      return "switch";
    case SettingInfo::kNumber:
      return "number";
    case SettingInfo::kText:
      return "text";
    case SettingInfo::kList:
      return "list";
    case SettingInfo::kShares:
      return "shares";
  }
  return "";
}

OrderedJson SettingToJson(const SettingValue& value) {
  return std::visit([](const auto& v) { return OrderedJson(v); }, value);
}

}  // namespace

OrderedJson SettingListJson() {
  OrderedJson list = OrderedJson::array();
  for (const SettingInfo& info : AllSettings()) {
    const Setting& s = info.setting;
    OrderedJson entry;
    entry["name"] = s.name;
    entry["type"] = NameOf(info.type);
    entry["choices"] = s.choices;
    if (info.type == SettingInfo::kNumber && s.choices.empty()) {
      entry["least"] = s.least;
      entry["most"] = s.most;
      entry["also"] = s.also;
    }
    entry["default"] =
        info.initial ? SettingToJson(*info.initial) : OrderedJson();
    entry["yaml"] = s.yaml;
    entry["example"] = s.example;
    entry["flag"] = s.flag;
    entry["device"] = s.device;
    entry["in_model"] = s.in_model;
    entry["changes_results"] = s.changes_results;
    entry["doc"] = s.doc;
    entry["more"] = s.more;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace mace::tools
