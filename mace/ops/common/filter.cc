// Checks of filters and biases.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/filter.h"

#include <algorithm>

namespace mace {
namespace {

Status CheckType(const Node& node, size_t input, const char* what) {
  const DataType x = node.inputs[0].type.dtype;
  if (node.inputs[input].type.dtype != x) {
    return InvalidModel(Label(node) + ": " + what + " must be " + Name(x) +
                        " as x is, it is " + ToString(node.inputs[input].type));
  }
  return Status();
}

}  // namespace

Status CheckFilter(const Node& node, int rank, const char* form) {
  const TensorType& w = node.inputs[1].type;
  if (w.rank() != rank ||
      std::find(w.shape.begin(), w.shape.end(), 0) != w.shape.end()) {
    return InvalidModel(Label(node) + ": w must be " + form +
                        " with no extent 0, it is " + ToString(w));
  }
  return CheckType(node, 1, "w");
}

Status CheckBias(const Node& node, int64_t channels) {
  if (!node.has_input(2)) return Status();
  const TensorType& b = node.inputs[2].type;
  if (b.shape != Shape{channels}) {
    return InvalidModel(
        Label(node) + ": b must be [" + std::to_string(channels) +
        "], one value per output channel, it is " + ToString(b));
  }
  return CheckType(node, 2, "b");
}

}  // namespace mace
