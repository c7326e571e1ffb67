// Checks of operands that many ops share, with the same wording of errors.
// SPDX-License-Identifier: Apache-2.0
//
// Errors of all functions: MACE_INVALID_MODEL. Messages begin with the node.
#ifndef MACE_OPS_COMMON_OPERANDS_H_
#define MACE_OPS_COMMON_OPERANDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/graph/node.h"

namespace mace {

// Returns MACE_INVALID_MODEL with the message `Label(node): ` and all parts
// together. Bytes that are not UTF-8 are replaced. `kinds` tells the types of
// the parts (str_cat.h); NodeError, below, writes it.
Status MakeNodeError(const Node& node, PartKinds kinds, ...);
// The function that ops call: numbers and texts, as for StrCat. Inlined, so
// that each call costs one call with its parts.
template <typename... Parts>
[[gnu::always_inline]] inline Status NodeError(const Node& node,
                                               const Parts&... parts) {
  return MakeNodeError(node, KindsOfParts<Parts...>(), PassPart(parts)...);
}

// A row of a table of the values of an attribute; NamesIn (attr_info.h) takes
// the table, too.
template <typename T>
struct NamedValue {
  const char* name;
  T value;
};

// Returns the value of the row whose name is `name`, which is that of the
// attribute `attr`. Errors: there is none.
template <typename T, size_t kCount>
Result<T> ValueNamed(const Node& node, const NamedValue<T> (&rows)[kCount],
                     const char* attr, const std::string& name) {
  for (const NamedValue<T>& row : rows) {
    if (name == row.name) return row.value;
  }
  return NodeError(node, "there is no ", attr, " '", name, "'");
}

// Formats a list, such as "[1,-1,3]".
std::string ListToString(const std::vector<int64_t>& values);

// The most dimensions of a tensor, so that work by pairs of them is little.
constexpr size_t kMaxDims = 64;

// Returns `axis` counted from 0. It must lie in [-rank, rank).
Result<int> ResolveAxis(const Node& node, int64_t axis, int rank);

// The same for each of `axes`, in their order: at most kMaxDims. None may
// appear twice.
Result<std::vector<int>> ResolveAxes(const Node& node,
                                     const std::vector<int64_t>& axes,
                                     int rank);

// Returns the integers of input `i` (i32 or i64, of any shape) as a flat list.
// REQUIRES: the input is present, and one of the op's known_inputs. Errors:
// another type, and a list of more than kMaxConstantInts.
Result<std::vector<int64_t>> KnownInts(const Node& node, size_t i);

// Returns the integers of input `i` if it is present, as KnownInts, else
// `attr`.
Result<std::vector<int64_t>> IntsOf(const Node& node, size_t i,
                                    const std::vector<int64_t>& attr);

// Input `i`, if present, must have one of the types. An empty set allows any.
Status CheckDtype(const Node& node, size_t i, DataTypes types);

// Input `i`, if present, must have the element type of input `other`.
Status CheckDtypeAs(const Node& node, size_t i, int other);

// Input `i`, which is present, must have `rank` dimensions. `what` names them,
// as in "[N,H,W,C]".
Status CheckRank(const Node& node, size_t i, int rank, const char* what);

// Input `i`, if present, must be a vector of `n` elements; `what` describes
// them in the message, as in "one value per channel".
Status CheckVector(const Node& node, size_t i, int64_t n, const char* what);

// Returns a * b, or an error that says that `what` is too large: more than
// 2^58, the limit of CheckedNumElements. REQUIRES: a, b >= 0.
Result<int64_t> CheckedMul(const Node& node, int64_t a, int64_t b,
                           const char* what);

// Returns the data type with the name `name`, as in "f32" or "i64", the value
// of the attribute `attr`.
Result<DataType> ParseDataType(const Node& node, const char* attr,
                               const std::string& name);

// Returns `shape` without the axes or, if `keep`, with sizes of 1 instead.
// REQUIRES: the axes are counted from 0; their order does not matter.
Shape DropAxes(const Shape& shape, const std::vector<int>& axes, bool keep);

}  // namespace mace

#endif  // MACE_OPS_COMMON_OPERANDS_H_
