// From the sections of a deployment file to what mace_run needs of them.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/deployment_sections.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "mace/runtime/settings/setting_values.h"
#include "tools/mace_run/deployment_keys.h"
#include "tools/mace_run/yaml_sections.h"

namespace mace::tools {
namespace {

constexpr char kAliasOfBoth[] = "cpu_gpu";
// So that the width of a range of random inputs is a float, too.
constexpr double kMaxFloatKey = 1e38;

// "\n    example: runtime: cpu", as tools/converter.py writes it.
std::string Example(const std::string& section, const std::string& key) {
  const std::string value = DeploymentKeys().at(section).value(key, "");
  return value.empty() ? "" : "\n    example: " + key + ": " + value;
}

// Whether text can be part of a file name, so that no key leads out of a
// folder.
bool IsFileName(const std::string& text) {
  const auto is_fine = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text[0] != '-' && text[0] != '.' &&
         std::all_of(text.begin(), text.end(), is_fine);
}

constexpr char kFileNames[] =
    " names files, so it may have only letters, digits, '_', '-' and '.', and "
    "must not begin with '-' or '.'";

// "-1,1" -> {-1, 1}; empty: it is no range.
std::vector<float> RangeOf(const std::string& text) {
  std::vector<float> range;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    char* end = nullptr;
    const double number = std::strtod(part.c_str(), &end);
    while (std::isspace(static_cast<unsigned char>(*end))) ++end;
    if (end == part.c_str() || *end != '\0' ||
        !(std::abs(number) <= kMaxFloatKey)) {
      return {};
    }
    range.push_back(static_cast<float>(number));
  }
  const bool is_range = range.size() == 2 && range[0] <= range[1];
  return is_range ? range : std::vector<float>();
}

// One scalar, or a list of them; empty: it is something else.
std::vector<std::string> ScalarsOf(const YAML::Node& node) {
  if (node.IsScalar()) return {node.Scalar()};
  std::vector<std::string> texts;
  if (!node.IsSequence()) return {};
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) return {};
    texts.push_back(item.Scalar());
  }
  return texts;
}

// The value of a setting as text for ParseSetting, or what is wrong with it.
struct Text {
  std::string text, problem;
};

Text ListText(const YAML::Node& node) {
  std::string all;
  for (const YAML::Node& item : node) {
    if (!item.IsScalar() || item.Scalar().empty()) {
      return {"", Shown(item) + " is not a name"};
    }
    if (item.Scalar().find(',') != std::string::npos) {
      return {"", Shown(item) +
                      " has a comma, which stands between names in flags and "
                      "settings; rename it in the source model"};
    }
    all += (all.empty() ? "" : ",") + item.Scalar();
  }
  if (all.empty()) return {"", "the list is empty"};
  return {all, ""};
}

// {gpu: 0.9} as "gpu=0.9".
Text SharesText(const YAML::Node& node) {
  std::string all;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
      return {"", Shown(node) + " is not a share for each device"};
    }
    all += (all.empty() ? "" : ",") + entry.first.Scalar() + "=" +
           entry.second.Scalar();
  }
  if (all.empty()) return {"", "the mapping is empty"};
  return {all, ""};
}

Text TextOf(const SettingInfo& info, const YAML::Node& node) {
  const bool is_list = info.is_list();
  if (info.type == SettingInfo::kShares && node.IsMap()) {
    return SharesText(node);
  }
  if (is_list && node.IsSequence()) return ListText(node);
  if (IsEmpty(node) || !node.IsScalar()) {
    return {"", Shown(node) + " is not " + (is_list ? "a list" : "a value")};
  }
  if (is_list && node.Scalar().find(',') != std::string::npos) {
    return {"", Shown(node) + " is one word; write a list, with [ and ]"};
  }
  const bool is_range =
      info.type == SettingInfo::kNumber && info.setting.choices.empty();
  if (is_range && IsQuoted(node)) {
    return {"", Shown(node) + " is text; write it without quotes"};
  }
  return {node.Scalar(), ""};
}

// Reads one file.
class Reader {
 public:
  explicit Reader(const std::string& path) : problems_(path) {
    deployment_.file = path;
    for (const SettingInfo& info : AllSettings()) {
      if (!info.setting.yaml.empty()) settings_.push_back(info);
    }
  }

  Result<Deployment> Read(const YAML::Node& root) {
    if (IsEmpty(root)) problems_.Add(1, "", "the file is empty");
    if (!problems_.empty()) return InvalidArgument(problems_.Text());
    const Section library(root, "", 1, &problems_);
    if (library.is_mapping()) ReadLibrary(library);
    if (!problems_.empty()) return InvalidArgument(problems_.Text());
    return std::move(deployment_);
  }

 private:
  void ReadLibrary(const Section& library);
  void ReadModel(const Section& model, const std::string& name);
  void ReadRuntime(const Section& model, DeployedModel* deployed);
  void ReadSettings(const Section& model, DeployedModel* deployed);
  void ReadKernelTime(const Section& model, DeployedModel* deployed);
  void ReadSubgraphs(const Section& model, DeployedModel* deployed);
  void ReadRanges(const Section& subgraph, DeployedModel* deployed);
  void CheckPreprocess(const Section& section);
  void CheckKeys(const Section& section, const std::string& name);
  const Section::Entry* Required(const Section& section,
                                 const std::string& name,
                                 const std::string& key);
  void Add(const Section& section, const Section::Entry& entry,
           const std::string& message) {
    problems_.Add(entry.line, section.PathOf(entry.key), message);
  }

  Problems problems_;
  Deployment deployment_;
  std::vector<SettingInfo> settings_;  // that have a key
};

void Reader::CheckKeys(const Section& section, const std::string& name) {
  for (const Section::Entry& entry : section.entries()) {
    const std::string problem = ProblemOfKey(name, entry.key);
    if (!problem.empty()) Add(section, entry, problem);
  }
}

const Section::Entry* Reader::Required(const Section& section,
                                       const std::string& name,
                                       const std::string& key) {
  const Section::Entry* entry = section.Find(key);
  if (entry == nullptr) {
    problems_.Add(section.line(), section.PathOf(key),
                  "this key is missing" + Example(name, key));
  }
  return entry;
}

void Reader::ReadLibrary(const Section& library) {
  CheckKeys(library, "library");
  const Section::Entry* name = Required(library, "library", "library_name");
  if (name != nullptr) {
    if (name->value.IsScalar() && IsFileName(name->value.Scalar())) {
      deployment_.library_name = name->value.Scalar();
    } else {
      Add(library, *name, Shown(name->value) + kFileNames);
    }
  }
  const Section::Entry* models = Required(library, "library", "models");
  if (models == nullptr) return;
  const Section all(models->value, "models", models->line, &problems_);
  if (all.is_mapping() && all.entries().empty()) {
    Add(library, *models,
        "there is nothing in it" + Example("library", "models"));
  }
  for (const Section::Entry& entry : all.entries()) {
    if (!IsFileName(entry.key)) {
      problems_.Add(entry.line, "models",
                    "the name of the model: '" + entry.key + "'" + kFileNames);
      continue;
    }
    const Section model(entry.value, all.PathOf(entry.key), entry.line,
                        &problems_);
    if (model.is_mapping()) ReadModel(model, entry.key);
  }
}

void Reader::ReadModel(const Section& model, const std::string& name) {
  CheckKeys(model, "model");
  CheckPreprocess(model);
  DeployedModel deployed;
  deployed.name = name;
  ReadRuntime(model, &deployed);
  ReadSettings(model, &deployed);
  ReadKernelTime(model, &deployed);
  ReadSubgraphs(model, &deployed);
  deployment_.models.push_back(std::move(deployed));
}

void Reader::ReadRuntime(const Section& model, DeployedModel* deployed) {
  const Section::Entry* entry = Required(model, "model", "runtime");
  if (entry == nullptr) return;
  const auto& allowed = DeploymentKeys().at("runtimes");
  std::string text =
      entry->value.IsScalar() ? entry->value.Scalar() : std::string();
  if (text == kAliasOfBoth) text = "cpu+gpu";
  std::string list;
  for (const std::string runtime : allowed) {
    list += runtime + ", ";
    if (runtime == text) deployed->runtime = text;
  }
  deployed->runtime_line = entry->line;
  if (deployed->runtime.empty()) {
    Add(model, *entry,
        Shown(entry->value) + " is not one of " + list + kAliasOfBoth +
            Example("model", "runtime"));
  }
}

void Reader::ReadSettings(const Section& model, DeployedModel* deployed) {
  const Section::Entry* obfuscate = model.Find("obfuscate");
  const bool is_hidden = obfuscate != nullptr && obfuscate->value.IsScalar() &&
                         obfuscate->value.Scalar() == "1";
  for (const SettingInfo& info : settings_) {
    const Section::Entry* entry = model.Find(info.setting.yaml);
    if (entry == nullptr) continue;
    Text text = TextOf(info, entry->value);
    if (text.problem.empty()) {
      const Status status = ParseSetting(info, text.text).status();
      // Without the name, which may be another than that of the key.
      const size_t name = info.setting.name.size() + 2;
      if (!status.ok()) text.problem = status.information().substr(name);
    }
    if (!text.problem.empty()) {
      Add(model, *entry, text.problem + Example("model", info.setting.yaml));
      continue;
    }
    // Nodes of an obfuscated model have other names; the model carries them.
    const bool names_nodes =
        info.type == SettingInfo::kList && info.setting.choices.empty();
    if (names_nodes && is_hidden) continue;
    deployed->settings[info.setting.name] = text.text;
  }
}

void Reader::ReadKernelTime(const Section& model, DeployedModel* deployed) {
  const Section::Entry* entry = model.Find("limit_opencl_kernel_time");
  if (entry == nullptr) return;
  const std::string text =
      entry->value.IsScalar() ? entry->value.Scalar() : std::string();
  if (text == "1" || text == "true") {
    const int64_t micros = DeploymentKeys().at("kernel_micros");
    deployed->settings["gpu_kernel_micros"] = std::to_string(micros);
  } else if (text != "0" && text != "false") {
    Add(model, *entry,
        Shown(entry->value) + " is not 0 or 1" + Example("model", entry->key));
  }
}

void Reader::ReadSubgraphs(const Section& model, DeployedModel* deployed) {
  const Section::Entry* entry = model.Find("subgraphs");
  if (entry == nullptr) return;
  if (!entry->value.IsSequence() || entry->value.size() != 1) {
    Add(model, *entry,
        entry->value.IsSequence()
            ? "it has " + std::to_string(entry->value.size()) +
                  " entries; a model has one"
            : Shown(entry->value) + " is not a list");
    return;
  }
  const YAML::Node only = entry->value[0];
  const Section subgraph(only, model.PathOf("subgraphs[0]"),
                         std::max(entry->line, LineOf(only)), &problems_);
  if (!subgraph.is_mapping()) return;
  CheckKeys(subgraph, "subgraph");
  CheckPreprocess(subgraph);
  ReadRanges(subgraph, deployed);
}

void Reader::CheckPreprocess(const Section& section) {
  const Section::Entry* entry = section.Find("preprocess");
  if (entry == nullptr) return;
  CheckKeys(Section(entry->value, section.PathOf("preprocess"), entry->line,
                    &problems_),
            "preprocess");
}

// One range for all inputs, or one for each.
void Reader::ReadRanges(const Section& subgraph, DeployedModel* deployed) {
  const Section::Entry* entry = subgraph.Find("input_ranges");
  const Section::Entry* inputs = subgraph.Find("input_aliases");
  if (inputs == nullptr) inputs = subgraph.Find("input_tensors");
  if (entry == nullptr || inputs == nullptr) return;
  std::vector<std::string> texts = ScalarsOf(entry->value);
  if (texts.size() == 2 && texts[0].find(',') == std::string::npos) {
    texts = {texts[0] + "," + texts[1]};  // [-1, 1]
  }
  const std::vector<std::string> names = ScalarsOf(inputs->value);
  if (texts.empty() || (texts.size() != 1 && texts.size() != names.size())) {
    Add(subgraph, *entry,
        Shown(entry->value) + " has " + std::to_string(texts.size()) +
            " ranges for " + std::to_string(names.size()) + " inputs" +
            Example("subgraph", entry->key));
    return;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& text = texts.size() == 1 ? texts[0] : texts[i];
    const std::vector<float> range = RangeOf(text);
    if (range.empty()) {
      Add(subgraph, *entry,
          "'" + text + "' is not a range, which is two numbers: low,high" +
              Example("subgraph", entry->key));
      return;
    }
    deployed->input_ranges[names[i]] = range;
  }
}

}  // namespace

Result<Deployment> ReadSections(const YAML::Node& root,
                                const std::string& path) {
  return Reader(path).Read(root);
}

}  // namespace mace::tools
