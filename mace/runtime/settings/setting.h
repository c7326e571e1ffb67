// Setting: the description of one thing that users of an engine choose.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_SETTING_H_
#define MACE_RUNTIME_SETTINGS_SETTING_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mace {

// The type of a setting is that of its field in Settings. A bool is a switch
// and a std::vector<std::string> a list; an integer or a std::string may be
// limited to choices.
//
// The functions return the object, so that a description is one expression.
struct Setting {
#ifndef MACE_LIBRARY
  // `doc` is one line, for the help of mace_run.
  Setting(std::string name_of_it, std::string doc_of_it)
      : name(name_of_it),
        doc(std::move(doc_of_it)),
        flag(std::move(name_of_it)) {}

  // Adds what docs/converter.md says besides `doc`.
  Setting& More(std::string text) {
    more = std::move(text);
    return *this;
  }
  // Makes it a key of a model in the deployment file.
  Setting& Yaml(std::string example_value) { return Yaml(name, example_value); }
  Setting& Yaml(std::string key, std::string example_value) {
    yaml = std::move(key);
    example = std::move(example_value);
    return *this;
  }
  // Gives the flag of mace_run another name than the setting.
  Setting& Flag(std::string other) {
    flag = std::move(other);
    return *this;
  }
#else
  // The same without texts that only the tools show.
  [[gnu::always_inline]] Setting(const char* name_of_it, const char*)
      : name(name_of_it) {}
  [[gnu::always_inline]] Setting& More(const char*) { return *this; }
  [[gnu::always_inline]] Setting& Yaml(const char*) { return *this; }
  [[gnu::always_inline]] Setting& Yaml(const char*, const char*) {
    return *this;
  }
  [[gnu::always_inline]] Setting& Flag(const char*) { return *this; }
#endif
  // Limits a number to [least_one, most_one].
  Setting& Range(int64_t least_one, int64_t most_one) {
    least = least_one;
    most = most_one;
    return *this;
  }
  // Allows one number outside of the range, which has a meaning of its own.
  Setting& Also(int64_t value) {
    also = {value};
    return *this;
  }
  // Limits a text or a number to one of these, or the items of a list to these.
  Setting& Choices(std::vector<std::string> all) {
    choices = std::move(all);
    return *this;
  }
  // Limits the items of a list to "device=share", such as "gpu=0.9": a device
  // once, and a number from 0 to 1.
  Setting& Shares() {
    shares = true;
    return *this;
  }
  // Makes the converter store the value of the deployment file in the model.
  Setting& InModel() {
    in_model = true;
    return *this;
  }
  // As InModel. In addition, an engine that does not know the setting refuses
  // the model, because results depend on it.
  Setting& ChangesResults() {
    in_model = changes_results = true;
    return *this;
  }

#ifndef MACE_LIBRARY
  // Only engines on this device use it: "cpu", "gpu" or "dsp".
  Setting& On(std::string only_device) {
    device = std::move(only_device);
    return *this;
  }

  std::string name;
  std::string doc;
  std::string more;
  std::string flag;     // of mace_run, without the dashes
  std::string yaml;     // empty: not in the deployment file
  std::string example;  // a value in the deployment file
  std::string device;   // empty: all
#else
  [[gnu::always_inline]] Setting& On(const char*) { return *this; }

  const char* name;
#endif
  std::vector<std::string> choices;
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> also;
  bool shares = false;
  bool in_model = false;
  bool changes_results = false;
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_SETTING_H_
