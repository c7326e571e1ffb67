// Checks of filters and biases.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/filter.h"

#include "mace/base/search.h"

namespace mace {

Status CheckFilter(const Node& node, int rank, const char* form) {
  const TensorType& w = node.inputs[1].type;
  if (w.rank() != rank || Contains(w.shape, 0)) {
    return InvalidModel(Label(node), ": w must be ", form,
                        " with no extent 0, it is ", ToString(w));
  }
  return Status();
}

Status CheckGroups(const Node& node, int64_t group) {
  const TensorType& x = node.inputs[0].type;
  const Shape& w = node.inputs[1].type.shape;
  const int64_t channels = x.shape[3];
  if (group < 1 || w[0] % group != 0 || channels % group != 0 ||
      w[1] != channels / group) {
    return InvalidModel(Label(node), ": w ", ToString(w), " does not fit x ",
                        ToString(x), " and group ", group,
                        ": it must be [O, C / group, kh, kw], and group must "
                        "divide both C and O");
  }
  return Status();
}

Status CheckBias(const Node& node, int64_t channels) {
  if (!node.has_input(2)) return Status();
  const TensorType& b = node.inputs[2].type;
  if (b.shape != Shape{channels}) {
    return InvalidModel(Label(node), ": b must be [", channels,
                        "], one value per output channel, it is ", ToString(b));
  }
  return Status();
}

}  // namespace mace
