// Looking up keys.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/deployment_keys.h"

#include <algorithm>

#include "tools/cli/flags.h"

namespace mace::tools {
namespace {

constexpr char kList[] =
#include "tools/mace_run/deployment_keys.inc"
    ;

struct Place {
  const char* section;
  const char* where;
};
constexpr Place kPlaces[] = {{"library", "at the top of the file"},
                             {"model", "under the name of a model"},
                             {"subgraph", "under subgraphs"},
                             {"preprocess", "under preprocess"}};

}  // namespace

const nlohmann::ordered_json& DeploymentKeys() {
  static const nlohmann::ordered_json keys =
      nlohmann::ordered_json::parse(kList);
  return keys;
}

std::string ProblemOfKey(const std::string& section, const std::string& key) {
  const nlohmann::ordered_json& all = DeploymentKeys();
  if (all.at(section).contains(key)) return "";
  for (const auto& foreign : all.at("foreign")) {
    if (foreign == key) {
      return "this key of later MACE releases has no meaning in this one; "
             "remove it";
    }
  }
  for (const Place& place : kPlaces) {
    if (all.at(place.section).contains(key)) {
      return std::string("this key does not belong here, but ") + place.where;
    }
  }
  std::vector<std::string> names;
  std::string list;
  for (const auto& entry : all.at(section).items()) {
    names.push_back(entry.key());
    list += (list.empty() ? "" : ", ") + entry.key();
  }
  // 'model' is rather 'models' than the first longer one that it begins.
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) {
                     return a.size() < b.size();
                   });
  const std::string near = Nearest(key, names);
  return "unknown key; " + (near.empty() ? "the keys here are " + list
                                         : "did you mean '" + near + "'?");
}

}  // namespace mace::tools
