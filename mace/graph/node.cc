// Labels and constant operands of nodes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/node.h"

#include <cstring>

#include "mace/base/str_cat.h"
#include "mace/base/utf8.h"

namespace mace {

std::string Label(const Node& node) {
  return StrCat(ShortText(node.op), " '", node.name, "'");
}

Result<std::vector<int64_t>> ConstantInts(const Node& node, size_t input) {
  const Operand& operand = node.inputs[input];
  const int64_t n = NumElements(operand.type.shape);
  if (n > kMaxConstantInts) {
    return InvalidModel(Label(node), ": input ", input, " is ",
                        ToString(operand.type), ", a list of more than ",
                        kMaxConstantInts, " integers");
  }
  std::vector<int64_t> values(n);
  if (operand.type.dtype == DataType::kI64) {
    if (n > 0) std::memcpy(values.data(), operand.data, n * sizeof(int64_t));
  } else if (operand.type.dtype == DataType::kI32) {
    const auto* p = static_cast<const int32_t*>(operand.data);
    for (int64_t i = 0; i < n; ++i) values[i] = p[i];
  } else {
    return InvalidModel(Label(node), ": input ", input,
                        " must be i32 or i64, it is ", ToString(operand.type));
  }
  return values;
}

}  // namespace mace
