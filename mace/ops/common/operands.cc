// Checks of operands that many ops share.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/operands.h"

#include <cstdarg>

#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/base/utf8.h"
#include "mace/ops/common/attr_info.h"

namespace mace {
namespace {

std::string Input(size_t i) { return StrCat("input ", i); }

// An empty set stands for all types.
std::string TypeNames(DataTypes types) {
  std::string names;
  for (DataType t : kAllTypes) {
    if (!types.empty() && !types.Has(t)) continue;
    StrAppend(&names, names.empty() ? "" : ", ", Name(t));
  }
  return names;
}

}  // namespace

Status MakeNodeError(const Node& node, PartKinds kinds, ...) {
  va_list parts;
  va_start(parts, kinds);
  const std::string text = JoinPartList(kinds, parts);
  va_end(parts);
  // Texts of attributes may be any bytes.
  return InvalidModel(Label(node), ": ", ToUtf8(text));
}

std::string ListToString(const std::vector<int64_t>& values) {
  return ToString(Shape(values));
}

Result<int> ResolveAxis(const Node& node, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return NodeError(node, "axis ", axis, " is out of range for rank ", rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<int>> ResolveAxes(const Node& node,
                                     const std::vector<int64_t>& axes,
                                     int rank) {
  std::vector<int> result;
  if (axes.size() > kMaxDims) {
    return NodeError(node, "there are ", axes.size(), " axes, more than ",
                     kMaxDims);
  }
  for (int64_t a : axes) {
    MACE_ASSIGN_OR_RETURN(const int axis, ResolveAxis(node, a, rank));
    if (Contains(result, axis)) {
      return NodeError(node, "axes ", ListToString(axes), " name axis ", axis,
                       " twice");
    }
    result.push_back(axis);
  }
  return result;
}

Result<std::vector<int64_t>> KnownInts(const Node& node, size_t i) {
  MACE_RETURN_IF_ERROR(CheckDtype(node, i, {DataType::kI64, DataType::kI32}));
  const Operand& operand = node.inputs[i];
  // If this fails, the op does not list the input among its known_inputs.
  MACE_ENSURE(operand.data != nullptr || NumElements(operand.type.shape) == 0);
  return ConstantInts(node, i);
}

Result<std::vector<int64_t>> IntsOf(const Node& node, size_t i,
                                    const std::vector<int64_t>& attr) {
  if (!node.has_input(i)) return attr;
  return KnownInts(node, i);
}

Status CheckDtype(const Node& node, size_t i, DataTypes types) {
  if (!node.has_input(i) || types.empty()) return Status();
  const TensorType& x = node.inputs[i].type;
  if (types.Has(x.dtype)) return Status();
  return NodeError(node, Input(i), " is ", ToString(x), ", it must be ",
                   TypeNames(types));
}

Status CheckDtypeAs(const Node& node, size_t i, int other) {
  const TensorType& want = node.inputs[static_cast<size_t>(other)].type;
  if (!node.has_input(i) || node.inputs[i].type.dtype == want.dtype) {
    return Status();
  }
  return NodeError(node, Input(i), " is ", ToString(node.inputs[i].type),
                   ", it must be ", Name(want.dtype), " as ",
                   Input(static_cast<size_t>(other)), " ", ToString(want));
}

Status CheckRank(const Node& node, size_t i, int rank, const char* what) {
  const TensorType& x = node.inputs[i].type;
  if (x.rank() == rank) return Status();
  return NodeError(node, Input(i), " is ", ToString(x), ", it must be ", what);
}

Status CheckVector(const Node& node, size_t i, int64_t n, const char* what) {
  if (!node.has_input(i)) return Status();
  const TensorType& x = node.inputs[i].type;
  if (x.rank() == 1 && x.shape[0] == n) return Status();
  return NodeError(node, Input(i), " is ", ToString(x), ", it must have ", what,
                   ": [", n, "]");
}

Result<int64_t> CheckedMul(const Node& node, int64_t a, int64_t b,
                           const char* what) {
  const auto product = CheckedNumElements({a, b});
  if (product.ok()) return *product;
  return NodeError(node, what, " ", a, " x ", b, " is too large");
}

Result<DataType> ParseDataType(const Node& node, const char* attr,
                               const std::string& name) {
  for (DataType t : kAllTypes) {
    if (name == Name(t)) return t;
  }
  return NodeError(node, attr, " '", name, "' is no element type; there are ",
                   TypeNames({}));
}

std::vector<Choice> DataTypeChoices() {
  std::vector<Choice> choices;
  for (DataType t : kAllTypes) {
    choices.push_back({Name(t), std::string(Name(t))});
  }
  return choices;
}

Shape DropAxes(const Shape& shape, const std::vector<int>& axes, bool keep) {
  Shape out;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    if (!Contains(axes, d)) {
      out.push_back(shape[d]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  return out;
}

}  // namespace mace
