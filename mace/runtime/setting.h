// Setting: what is to be known of something that users of an engine choose.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTING_H_
#define MACE_RUNTIME_SETTING_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mace {

// The type of a setting is that of its field in Settings: a bool is a switch, a
// std::vector<std::string> a list, and an integer or a std::string may be one
// of a few choices.
struct Setting {
  // `doc` is a line for the help of mace_run and for messages.
  Setting(std::string name_of_it, std::string doc_of_it)
      : name(name_of_it),
        doc(std::move(doc_of_it)),
        flag(std::move(name_of_it)) {}

  // What docs/converter.md says besides `doc`.
  Setting& More(std::string text) {
    more = std::move(text);
    return *this;
  }
  // Of a number.
  Setting& Range(int64_t least_one, int64_t most_one) {
    least = least_one;
    most = most_one;
    return *this;
  }
  // A number outside of the range that stands for something else.
  Setting& Also(int64_t value) {
    also = {value};
    return *this;
  }
  // Of a text or number: one of these. Of a list: some of these.
  Setting& Choices(std::vector<std::string> all) {
    choices = std::move(all);
    return *this;
  }
  // It is a key of a model in the deployment file.
  Setting& Yaml(std::string example_value) { return Yaml(name, example_value); }
  Setting& Yaml(std::string key, std::string example_value) {
    yaml = std::move(key);
    example = std::move(example_value);
    return *this;
  }
  // The flag of mace_run has another name than the setting.
  Setting& Flag(std::string other) {
    flag = std::move(other);
    return *this;
  }
  // A converted model carries what its deployment file says.
  Setting& InModel() {
    in_model = true;
    return *this;
  }
  // The same, and an engine that does not know the setting refuses the model.
  Setting& ChangesResults() {
    in_model = changes_results = true;
    return *this;
  }
  // Only engines on this device look at it: "cpu" or "gpu".
  Setting& On(std::string only_device) {
    device = std::move(only_device);
    return *this;
  }

  std::string name;
  std::string doc;
  std::string more;
  std::string flag;     // of mace_run, without dashes
  std::string yaml;     // empty: the deployment file does not have it
  std::string example;  // of a value in the deployment file
  std::string device;   // empty: all
  std::vector<std::string> choices;
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> also;
  bool in_model = false;
  bool changes_results = false;
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTING_H_
