// The mappings of a YAML file, and everything that is wrong in it, by line.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_YAML_SECTIONS_H_
#define TOOLS_MACE_RUN_YAML_SECTIONS_H_

#include <yaml-cpp/yaml.h>

#include <set>
#include <string>
#include <vector>

namespace mace::tools {

struct Problem {
  int line;         // from 1; 0: of the whole file
  std::string key;  // its path, such as models.mobilenet.runtime
  std::string message;
};

// Collects what is wrong, for one message at the end.
class Problems {
 public:
  explicit Problems(std::string path) : path_(std::move(path)) {}

  // Leaves out a problem that is among the first 50 already.
  void Add(int line, const std::string& key, const std::string& message);
  bool empty() const { return list_.empty(); }

  // A line for each of the first 50 problems that were added, in the order of
  // the file. If there are several, a line before them says how many.
  std::string Text() const;

 private:
  std::string path_;
  std::vector<Problem> list_;  // the first ones
  size_t num_problems_ = 0;
};

// From 1.
int LineOf(const YAML::Node& node);

// A value as a message quotes it: 'text' (of at most 60 bytes), a mapping, a
// list, an empty value.
std::string Shown(const YAML::Node& node);

// An empty value, which is also what `~` and `null` mean.
bool IsEmpty(const YAML::Node& node);

// A scalar that was written in quotes.
bool IsQuoted(const YAML::Node& node);

// The keys and values of a mapping.
class Section {
 public:
  struct Entry {
    std::string key;
    int line;
    YAML::Node value;
  };

  // Reads a mapping, with what it takes over from others by `<<`. `path` is
  // that of its key. A key that appears twice is a problem, as is a node that
  // is no mapping.
  Section(const YAML::Node& node, std::string path, int line,
          Problems* problems);

  const std::vector<Entry>& entries() const { return entries_; }

  // Null if the key is not there.
  const Entry* Find(const std::string& key) const;

  // The path of a key in it, for messages.
  std::string PathOf(const std::string& key) const;

  int line() const { return line_; }
  bool is_mapping() const { return is_mapping_; }

 private:
  bool Count();  // false, and a problem: it took too many steps
  void Merge(const YAML::Node& node, int depth);
  void Take(const YAML::Node& mapping, int depth);

  std::string path_;
  int line_;
  Problems* problems_;
  bool is_mapping_ = false;
  int num_steps_ = 0;
  std::vector<Entry> entries_;
  std::set<std::string> keys_;
};

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_YAML_SECTIONS_H_
