// What many ops check of their operands, with one wording of the errors.
// SPDX-License-Identifier: Apache-2.0
//
// Errors of everything here: MACE_INVALID_MODEL, starting with the node.
#ifndef MACE_OPS_COMMON_OPERANDS_H_
#define MACE_OPS_COMMON_OPERANDS_H_

#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// `Label(node): what`.
Status NodeError(const Node& node, const std::string& what);

// "[1,-1,3]", for lists of attributes.
std::string ListToString(const std::vector<int64_t>& values);

// `axis` counted from 0; it must lie in [-rank, rank).
Result<int> ResolveAxis(const Node& node, int64_t axis, int rank);

// The same for each of `axes`, in their order; none may come twice.
Result<std::vector<int>> ResolveAxes(const Node& node,
                                     const std::vector<int64_t>& axes,
                                     int rank);

// The integers of input `i`, one of the op's known_inputs, flattened.
Result<std::vector<int64_t>> KnownInts(const Node& node, size_t i);

// The integers of input `i` if it is given, else `attr`.
Result<std::vector<int64_t>> IntsOf(const Node& node, size_t i,
                                    const std::vector<int64_t>& attr);

// Input `i`, if given, must have one of the types; any, if there are none.
Status CheckDtype(const Node& node, size_t i,
                  const std::vector<DataType>& types);

// Input `i`, if given, must have the type of input `other`.
Status CheckDtypeAs(const Node& node, size_t i, int other);

// Input `i` must have `rank` dimensions; `what` names them: "[N,H,W,C]".
Status CheckRank(const Node& node, size_t i, int rank, const char* what);

// Input `i`, if given, must be a vector of `n` elements, `what` many.
Status CheckVector(const Node& node, size_t i, int64_t n, const char* what);

// a * b, or an error that says `what` overflows. REQUIRES: a, b >= 0.
Result<int64_t> CheckedMul(const Node& node, int64_t a, int64_t b,
                           const char* what);

// The data type that an attribute names ("f32", "i64", ...).
Result<DataType> ParseDataType(const Node& node, const char* attr,
                               const std::string& name);

// `shape` without the axes, or with 1 in their place.
Shape DropAxes(const Shape& shape, const std::vector<int>& axes, bool keep);

}  // namespace mace

#endif  // MACE_OPS_COMMON_OPERANDS_H_
