// AttrInfo: an attribute of an op as data, for checks, docs and the converter.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_ATTR_INFO_H_
#define MACE_OPS_COMMON_ATTR_INFO_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/graph/attrs.h"

namespace mace {

// A value that an attribute may have. Texts are their own names.
struct Choice {
  std::string name;
  Attr value;
};

// An attribute of an op.
struct AttrInfo {
  std::string name;
  Attr
      initial;  // the default, which also shows its type (a bool is an integer)
  const char* type = nullptr;   // int, bool, float, string, ints or floats
  std::vector<Choice> choices;  // empty: every value of the type
  bool names_axes = false;      // one or more axes of input 0, in [-rank, rank)
};

// Rows {name, ...} of a table whose names are all values of an attribute.
template <typename Table>
std::vector<Choice> ChoicesOf(const Table& table) {
  std::vector<Choice> choices;
  for (const auto& row : table) {
    choices.push_back({row.name, std::string(row.name)});
  }
  return choices;
}

// The same of texts.
std::vector<Choice> Texts(const std::vector<std::string>& texts);

// Choices that several ops have.
std::vector<Choice> ActivationChoices();  // activation_attrs.cc
std::vector<Choice> PaddingChoices();     // window.cc
std::vector<Choice> DataTypeChoices();    // operands.cc

// Lists the fields of an attribute struct.
class AttrLister {
 public:
  void operator()(const char* name, const int64_t& f) { Add(name, f, "int"); }
  void operator()(const char* name, const bool& f) {
    Add(name, int64_t{f}, "bool");
  }
  void operator()(const char* name, const float& f) { Add(name, f, "float"); }
  void operator()(const char* name, const std::string& f) {
    Add(name, f, "string");
  }
  void operator()(const char* name, const std::vector<int64_t>& f) {
    Add(name, f, "ints");
  }
  void operator()(const char* name, const std::vector<float>& f) {
    Add(name, f, "floats");
  }
  std::vector<AttrInfo> attrs;

 private:
  void Add(const char* name, Attr initial, const char* type) {
    AttrInfo info;
    info.name = name;
    info.initial = std::move(initial);
    info.type = type;
    attrs.push_back(std::move(info));
  }
};

// `attrs` of an op whose attribute struct is Attrs.
template <typename Attrs>
std::vector<AttrInfo> AttrsOf() {
  Attrs attrs;
  AttrLister lister;
  attrs.Fields(lister);
  return lister.attrs;
}

// The attributes of an op that has none.
struct NoAttrs {
  template <typename V>
  void Fields(V&) {}
};

}  // namespace mace

#endif  // MACE_OPS_COMMON_ATTR_INFO_H_
