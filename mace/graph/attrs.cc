// Listing attributes, and reading them with an error for what does not fit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/attrs.h"

#include "mace/base/search.h"

namespace mace {

AttrVisitor::AttrVisitor(const Node& node) : node_(&node), fields_(nullptr) {}

AttrVisitor::AttrVisitor(std::vector<AttrField>* fields)
    : node_(nullptr), fields_(fields) {}

AttrVisitor::~AttrVisitor() = default;

const Attr* AttrVisitor::Find(const char* name) {
  known_.push_back(name);
  const auto it = node_->attrs.find(name);
  return it == node_->attrs.end() ? nullptr : &it->second;
}

void AttrVisitor::Mismatch(const char* name, const char* want) {
  if (status_.ok()) {
    status_ =
        InvalidModel(Label(*node_), ": attribute '", name, "' must be ", want);
  }
}

template <typename T>
void AttrVisitor::Visit(const char* name, const char* type, const char* want,
                        T* field) {
  if (fields_ != nullptr) {
    fields_->push_back({name, type, *field});
    return;
  }
  const Attr* given = Find(name);
  if (given == nullptr) return;
  if (const T* value = std::get_if<T>(given)) {
    *field = *value;
  } else {
    Mismatch(name, want);
  }
}

void AttrVisitor::operator()(const char* name, int64_t& field) {
  Visit(name, "int", "an integer", &field);
}

void AttrVisitor::operator()(const char* name, bool& field) {
  constexpr const char* kWant = "0 or 1";
  int64_t number = field;
  Visit(name, "bool", kWant, &number);
  if (number != 0 && number != 1) return Mismatch(name, kWant);
  field = number == 1;
}

void AttrVisitor::operator()(const char* name, float& field) {
  if (node_ != nullptr) {
    const auto it = node_->attrs.find(name);
    const auto* number =
        it == node_->attrs.end() ? nullptr : std::get_if<int64_t>(&it->second);
    if (number != nullptr) {
      known_.push_back(name);
      field = static_cast<float>(*number);
      return;
    }
  }
  Visit(name, "float", "a number", &field);
}

void AttrVisitor::operator()(const char* name, std::string& field) {
  Visit(name, "string", "a string", &field);
}

void AttrVisitor::operator()(const char* name, std::vector<int64_t>& field) {
  Visit(name, "ints", "a list of integers", &field);
}

void AttrVisitor::operator()(const char* name, std::vector<float>& field) {
  Visit(name, "floats", "a list of numbers", &field);
}

Status AttrVisitor::Finish() const {
  if (!status_.ok()) return status_;
  for (const auto& [name, value] : node_->attrs) {
    if (!Contains(known_, name)) {
      return InvalidModel(Label(*node_), ": unknown attribute '", name, "'");
    }
  }
  return Status();
}

Status ReadAttrsInto(const Node& node, void* attrs, VisitAttrs visit) {
  AttrVisitor visitor(node);
  visit(attrs, visitor);
  return visitor.Finish();
}

}  // namespace mace
