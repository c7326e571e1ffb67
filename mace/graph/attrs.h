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
// of another type; but an int may stand for a float, and 0 or 1 for a bool.
#ifndef MACE_GRAPH_ATTRS_H_
#define MACE_GRAPH_ATTRS_H_

#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// The visitor that ReadAttrs passes to Fields.
class AttrReader {
 public:
  explicit AttrReader(const Node& node);
  ~AttrReader();
  AttrReader(const AttrReader&) = delete;
  AttrReader& operator=(const AttrReader&) = delete;

  void operator()(const char* name, int64_t& field);
  void operator()(const char* name, bool& field);
  void operator()(const char* name, float& field);
  void operator()(const char* name, std::string& field);
  void operator()(const char* name, std::vector<int64_t>& field);
  void operator()(const char* name, std::vector<float>& field);

  // The first error of the reads above, or else an error for the first
  // attribute that was not read.
  Status Finish() const;

 private:
  template <typename T>
  const T* Find(const char* name, const char* want);
  void Mismatch(const char* name, const char* want);

  const Node& node_;
  std::vector<const char*> known_;
  Status status_;
};

// Errors: MACE_INVALID_MODEL, naming node and attribute. What calls it prepares
// a model, and is therefore compiled for size: the compiler takes what always
// calls a cold function for cold as well.
template <typename Attrs>
[[gnu::noinline, gnu::cold]] Result<Attrs> ReadAttrs(const Node& node) {
  Attrs attrs;
  AttrReader reader(node);
  attrs.Fields(reader);
  MACE_RETURN_IF_ERROR(reader.Finish());
  return attrs;
}

}  // namespace mace

#endif  // MACE_GRAPH_ATTRS_H_
