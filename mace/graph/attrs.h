// ReadAttrs: a node's attributes as a struct that lists its fields once.
// SPDX-License-Identifier: Apache-2.0
//
//   struct SoftmaxAttrs {
//     int64_t axis = -1;
//     template <typename V> void Fields(V& v) { v("axis", axis); }
//   };
//
// A field is an int64_t, bool, float, std::string or a vector of int64_t or
// float. An attribute that the struct does not list is an error, and so is one
// of another type; but an int may stand for a float, and 0 or 1 for a bool. V
// is always AttrVisitor. Fields is a template so that the header of an op need
// not include this one.
#ifndef MACE_GRAPH_ATTRS_H_
#define MACE_GRAPH_ATTRS_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// A field of such a struct, as data.
struct AttrField {
  const char* name;
  const char* type;  // int, bool, float, string, ints or floats
  Attr initial;      // the default; a bool is an integer
};

// What Fields calls for each field. One class both reads and lists them, so
// that Fields becomes code once for each struct.
class AttrVisitor {
 public:
  // Reads the attributes of a node.
  explicit AttrVisitor(const Node& node);
  // Appends the fields to `*fields`; what the struct holds are the defaults.
  explicit AttrVisitor(std::vector<AttrField>* fields);
  ~AttrVisitor();
  AttrVisitor(const AttrVisitor&) = delete;
  AttrVisitor& operator=(const AttrVisitor&) = delete;

  void operator()(const char* name, int64_t& field);
  void operator()(const char* name, bool& field);
  void operator()(const char* name, float& field);
  void operator()(const char* name, std::string& field);
  void operator()(const char* name, std::vector<int64_t>& field);
  void operator()(const char* name, std::vector<float>& field);

  // Returns the first error of the reads above, or else an error for the first
  // attribute that was not read. REQUIRES: constructed from a node.
  Status Finish() const;

 private:
  // Each handles one field: lists it, or finds the attribute of that name.
  template <typename T>
  void Visit(const char* name, const char* type, const char* want, T* field);
  const Attr* Find(const char* name);
  void Mismatch(const char* name, const char* want);

  const Node* const node_;
  std::vector<AttrField>* const fields_;
  std::vector<const char*> known_;
  Status status_;
};

// Calls Fields of the struct at `attrs`.
using VisitAttrs = void (*)(void* attrs, AttrVisitor& visitor);
template <typename Attrs>
[[gnu::cold]] void VisitAttrsOf(void* attrs, AttrVisitor& visitor) {
  static_cast<Attrs*>(attrs)->Fields(visitor);
}

// Reads into the struct at `attrs`, which holds the defaults. Errors: see
// ReadAttrs.
Status ReadAttrsInto(const Node& node, void* attrs, VisitAttrs visit);

// Returns the attributes of a node, with the defaults for those that the node
// does not give. Errors: MACE_INVALID_MODEL, naming node and attribute. It is
// cold, because its callers only prepare a model: the compiler optimizes a
// function that always calls a cold one for size, too.
template <typename Attrs>
[[gnu::noinline, gnu::cold]] Result<Attrs> ReadAttrs(const Node& node) {
  Result<Attrs> attrs{InPlace()};
  Status status = ReadAttrsInto(node, &*attrs, VisitAttrsOf<Attrs>);
  if (!status.ok()) attrs.Fail(std::move(status));
  return attrs;
}

}  // namespace mace

#endif  // MACE_GRAPH_ATTRS_H_
