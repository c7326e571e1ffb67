// Reading attributes, with an error for whatever does not fit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/attrs.h"

#include "mace/base/search.h"

namespace mace {

AttrReader::AttrReader(const Node& node) : node_(node) {}

AttrReader::~AttrReader() = default;

template <typename T>
const T* AttrReader::Find(const char* name, const char* want) {
  known_.push_back(name);
  const auto it = node_.attrs.find(name);
  if (it == node_.attrs.end()) return nullptr;
  const T* value = std::get_if<T>(&it->second);
  if (value == nullptr) Mismatch(name, want);
  return value;
}

void AttrReader::Mismatch(const char* name, const char* want) {
  if (status_.ok()) {
    status_ =
        InvalidModel(Label(node_), ": attribute '", name, "' must be ", want);
  }
}

void AttrReader::operator()(const char* name, int64_t& field) {
  if (const auto* v = Find<int64_t>(name, "an integer")) field = *v;
}

void AttrReader::operator()(const char* name, bool& field) {
  if (const auto* v = Find<int64_t>(name, "0 or 1")) {
    if (*v != 0 && *v != 1) return Mismatch(name, "0 or 1");
    field = *v == 1;
  }
}

void AttrReader::operator()(const char* name, float& field) {
  const auto it = node_.attrs.find(name);
  if (it != node_.attrs.end()) {
    if (const auto* i = std::get_if<int64_t>(&it->second)) {
      known_.push_back(name);
      field = static_cast<float>(*i);
      return;
    }
  }
  if (const auto* v = Find<float>(name, "a number")) field = *v;
}

void AttrReader::operator()(const char* name, std::string& field) {
  if (const auto* v = Find<std::string>(name, "a string")) field = *v;
}

void AttrReader::operator()(const char* name, std::vector<int64_t>& field) {
  if (const auto* v = Find<std::vector<int64_t>>(name, "a list of integers")) {
    field = *v;
  }
}

void AttrReader::operator()(const char* name, std::vector<float>& field) {
  if (const auto* v = Find<std::vector<float>>(name, "a list of numbers")) {
    field = *v;
  }
}

Status AttrReader::Finish() const {
  if (!status_.ok()) return status_;
  for (const auto& [name, value] : node_.attrs) {
    if (!Contains(known_, name)) {
      return InvalidModel(Label(node_), ": unknown attribute '", name, "'");
    }
  }
  return Status();
}

}  // namespace mace
