// AttrInfo: an attribute of an op as data, for checks, docs and the converter.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_ATTR_INFO_H_
#define MACE_OPS_COMMON_ATTR_INFO_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/graph/attrs.h"

namespace mace {

// A value that an attribute may have. The name of a text is the text itself.
struct Choice {
  std::string name;
  Attr value;
};

// An attribute of an op. Nodes that do not give it have the value
// AttrInfo::initial.
struct AttrInfo {
  std::string name;
  // The default, which also shows the type; a bool is an integer.
  Attr initial;
  const char* type = nullptr;   // int, bool, float, string, ints or floats
  std::vector<Choice> choices;  // empty: all values of the type
  bool names_axes = false;  // is one or more axes of input 0, in [-rank, rank)
};

// Makes choices of the names in a table with rows {name, ...}.
template <typename Table>
std::vector<Choice> ChoicesOf(const Table& table) {
  std::vector<Choice> choices;
  for (const auto& row : table) {
    choices.push_back({row.name, std::string(row.name)});
  }
  return choices;
}

// Makes choices of texts.
std::vector<Choice> Texts(const std::vector<std::string>& texts);

// Choices of attributes that several ops have.
std::vector<Choice> ActivationChoices();  // activation_attrs.cc
std::vector<Choice> PaddingChoices();     // window.cc
std::vector<Choice> DataTypeChoices();    // operands.cc

// Collects the fields of an attribute struct.
class AttrLister {
 public:
  void operator()(const char* name, int64_t f);
  void operator()(const char* name, bool f);
  void operator()(const char* name, float f);
  void operator()(const char* name, const std::string& f);
  void operator()(const char* name, const std::vector<int64_t>& f);
  void operator()(const char* name, const std::vector<float>& f);
  std::vector<AttrInfo> attrs;

 private:
  void Add(const char* name, Attr initial, const char* type);
};

// Returns Op::attrs for the attribute struct Attrs.
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
