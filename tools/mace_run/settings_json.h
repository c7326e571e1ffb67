// The settings of engines as JSON: tools/settings.json is this.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_SETTINGS_JSON_H_
#define TOOLS_MACE_RUN_SETTINGS_JSON_H_

#include <nlohmann/json.hpp>

namespace mace::tools {

// [{"name", "type" (switch, number, text, list or shares), "choices" (empty:
// any), "least", "most" and "also" (these three only of numbers without
// choices), "default" (null: that of the device), "yaml" (the key; empty:
// none), "example", "flag", "device" (empty: all), "in_model",
// "changes_results", "doc", "more"}].
nlohmann::ordered_json SettingListJson();

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_SETTINGS_JSON_H_
