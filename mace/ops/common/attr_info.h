// AttrInfo: an attribute of an op as data, for checks, docs and the converter.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_ATTR_INFO_H_
#define MACE_OPS_COMMON_ATTR_INFO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
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
// AttrInfo::initial. A value that is not among the choices is an error of
// Infer; with choices, `initial` may be none of them, and then the attribute is
// required.
struct AttrInfo {
  std::string name;
  // The default, which also shows the type; a bool is an integer.
  Attr initial;
  const char* type = nullptr;   // int, bool, float, string, ints or floats
  std::vector<Choice> choices;  // empty: all values of the type
  bool names_axes = false;  // is one or more axes of input 0, in [-rank, rank)
};

// The choices of an attribute as an op's definition writes them, which costs a
// library little: the names, with a space between each two, ...
struct Texts {
  const char* names;
};
// ... a table of names, which are the first members of its rows, ...
struct NameTable {
  const void* rows;
  size_t row_bytes;
  size_t count;
};
// ... a number that has a name, ...
struct NamedNumber {
  const char* name;
  int64_t number;
};
// ... or a function that returns them: those that several ops share.
using ListChoices = std::vector<Choice> (*)();

// Describes a constant array of names, or of structs with the name as their
// first member. Points to it: the array must outlive the result, as static ones
// do.
template <typename Row, size_t kCount>
NameTable NamesIn(const Row (&rows)[kCount]) {
  if constexpr (!std::is_same_v<Row, const char*>) {
    static_assert(std::is_standard_layout_v<Row>, "the name lies at its start");
    static_assert(offsetof(Row, name) == 0, "the name comes first");
  }
  return {rows, sizeof(Row), kCount};
}

// Return a choice for each name, whose value is the name.
std::vector<Choice> ChoicesOf(const Texts& texts);
std::vector<Choice> ChoicesOf(const NameTable& table);

// Choices of attributes that several ops have.
std::vector<Choice> ActivationChoices();  // activation_attrs.cc
std::vector<Choice> PaddingChoices();     // window.cc
std::vector<Choice> DataTypeChoices();    // operands.cc

// Calls `visit` on the struct at `attrs`, which holds the defaults, and returns
// its fields in their order. Leaves choices and names_axes at their defaults:
// Op::Choices and Op::NamesAxes set them.
std::vector<AttrInfo> ListAttrs(void* attrs, VisitAttrs visit);

// Returns Op::attrs for the attribute struct Attrs. The definition of an op
// passes the address of this function.
template <typename Attrs>
[[gnu::cold]] std::vector<AttrInfo> AttrsOf() {
  Attrs attrs;
  return ListAttrs(&attrs, VisitAttrsOf<Attrs>);
}

// The attributes of an op that has none.
struct NoAttrs {
  template <typename V>
  void Fields(V&) {}
};

}  // namespace mace

#endif  // MACE_OPS_COMMON_ATTR_INFO_H_
