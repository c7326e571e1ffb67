// Walking nodes of yaml-cpp.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/yaml_sections.h"

#include <algorithm>
#include <utility>

namespace mace::tools {
namespace {

constexpr char kMerge[] = "<<";
// So that mappings that take over each other again and again end.
constexpr int kMaxDepth = 8;
constexpr int kMaxSteps = 10000;
constexpr size_t kMaxShown = 60;     // bytes
constexpr size_t kMaxProblems = 50;  // in a message

}  // namespace

void Problems::Add(int line, const std::string& key,
                   const std::string& message) {
  for (const Problem& p : list_) {
    if (p.line == line && p.key == key && p.message == message) return;
  }
  ++num_problems_;
  if (list_.size() < kMaxProblems) list_.push_back({line, key, message});
}

std::string Problems::Text() const {
  std::vector<Problem> sorted = list_;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const Problem& a, const Problem& b) { return a.line < b.line; });
  std::string text;
  if (num_problems_ > 1) {
    text = path_ + " has " + std::to_string(num_problems_) +
           " problems; nothing was done";
    if (num_problems_ > sorted.size()) {
      text += ". The first " + std::to_string(sorted.size()) + ":";
    }
  }
  for (const Problem& p : sorted) {
    text += (text.empty() ? "" : "\n") + path_ + ":" +
            (p.line > 0 ? std::to_string(p.line) + ":" : "") + " " +
            (p.key.empty() ? "" : p.key + ": ") + p.message;
  }
  return text;
}

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

std::string Shown(const YAML::Node& node) {
  if (IsEmpty(node)) return "an empty value";
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  std::string text = node.Scalar().substr(0, kMaxShown);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return "'" + text + (node.Scalar().size() > kMaxShown ? "..." : "") + "'";
}

bool IsEmpty(const YAML::Node& node) {
  return !node.IsDefined() || node.IsNull();
}

bool IsQuoted(const YAML::Node& node) {
  return node.IsScalar() && node.Tag() == "!";
}

Section::Section(const YAML::Node& node, std::string path, int line,
                 Problems* problems)
    : path_(std::move(path)),
      line_(line),
      problems_(problems),
      is_mapping_(node.IsMap()) {
  if (is_mapping_) {
    Take(node, 0);
    return;
  }
  problems_->Add(
      line_, path_,
      path_.empty()
          ? "the file is " + Shown(node) + ", not a mapping of keys to values"
          : Shown(node) + " is not a mapping of keys to values");
}

const Section::Entry* Section::Find(const std::string& key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string Section::PathOf(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

// Its own keys go before those that it takes over.
void Section::Take(const YAML::Node& mapping, int depth) {
  std::set<std::string> own;
  std::vector<YAML::Node> others;
  for (const auto& pair : mapping) {
    if (!Count()) return;
    const int line = LineOf(pair.first);
    if (!pair.first.IsScalar()) {
      problems_->Add(line, path_,
                     "a key is " + Shown(pair.first) + "; keys are words");
      continue;
    }
    const std::string& key = pair.first.Scalar();
    if (key == kMerge && !IsQuoted(pair.first)) {
      others.push_back(pair.second);
      continue;
    }
    if (!own.insert(key).second) {
      problems_->Add(line, PathOf(key),
                     "this key appears twice; remove one of them");
      continue;
    }
    if (keys_.insert(key).second) entries_.push_back({key, line, pair.second});
  }
  for (const YAML::Node& other : others) Merge(other, depth + 1);
}

void Section::Merge(const YAML::Node& node, int depth) {
  if (depth > kMaxDepth) num_steps_ = std::max(num_steps_, kMaxSteps);
  if (!Count()) return;
  if (node.IsMap()) return Take(node, depth);
  if (!node.IsSequence()) {
    problems_->Add(line_, PathOf(kMerge), Shown(node) + " is not a mapping");
    return;
  }
  for (const YAML::Node& item : node) Merge(item, depth + 1);
}

bool Section::Count() {
  if (num_steps_ < kMaxSteps) return ++num_steps_ > 0;
  problems_->Add(line_, path_,
                 "there are too many keys, or mappings that take over each "
                 "other with <<; deployment files have few");
  return false;
}

}  // namespace mace::tools
