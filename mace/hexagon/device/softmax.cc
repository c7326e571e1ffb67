// Softmax along the last axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/softmax.h"

#include <cmath>
#include <utility>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/softmax_table.h"

namespace mace::hexagon {

Status TranslateSoftmax(const Node& node, const Target& target,
                        int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SoftmaxAttrs>(node));
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  const Quantization& q = *y.quantization;
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  const bool is_last = attrs.axis == -1 || attrs.axis == x.rank() - 1;
  constexpr int64_t kLimit = 4095;
  if (attrs.use_log || !is_last || x.rank() < 1 || x.shape.back() > kLimit ||
      std::fabs(q.scale() * 256 - 1) > 1e-3f || q.zero_point() != least) {
    return Unsupported(Label(node), ": the DSP computes Softmax of at most ",
                       kLimit, " elements of the last axis, with a scale of ",
                       "1/256 and the zero point ", least);
  }
  if (target.writer == nullptr) return Status();
  MACE_ASSIGN_OR_RETURN(SoftmaxTable table,
                        MakeSoftmaxTable(x.quantization->scale()));
  const auto n = static_cast<int32_t>(x.shape.back());
  const SoftmaxParams p = {static_cast<int32_t>(NumElements(x.shape) / n), n,
                           table.least_difference, IsSigned(x)};
  const int exponentials =
      target.writer->AddConstant(std::move(table.exponentials));
  target.writer->AddNode(kSoftmax,
                         {target.inputs[0], exponentials, target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
