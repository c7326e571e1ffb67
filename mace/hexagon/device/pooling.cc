// Pooling: MAX, and AVERAGE without the padding.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pooling.h"

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {

Status TranslatePooling(const Node& node, const Target& target,
                        int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<PoolingAttrs>(node));
  const auto type = static_cast<PoolingType>(attrs.pooling_type);
  if (type == PoolingType::kL2 ||
      (type == PoolingType::kAverage && attrs.count_include_pad)) {
    return Unsupported(Label(node), ": the DSP computes MAX, and AVERAGE ",
                       "without count_include_pad");
  }
  MACE_ASSIGN_OR_RETURN(const Window2D window, PoolingWindow(node, attrs));
  MACE_ASSIGN_OR_RETURN(const OutputRange values, OutputRangeOf(node, attrs));
  PoolParams p = {};
  MACE_ASSIGN_OR_RETURN(p.h, ToParams(node, window.h));
  MACE_ASSIGN_OR_RETURN(p.w, ToParams(node, window.w));
  const Shape& x = node.inputs[0].type.shape;
  constexpr int64_t kLimit = 1 << 16;
  if (x[0] > kLimit || x[3] > kLimit) {
    return Unsupported(Label(node), ": too large for the DSP");
  }
  if (target.writer == nullptr) return Status();
  p.batch = static_cast<int32_t>(x[0]);
  p.channels = static_cast<int32_t>(x[3]);
  p.is_max = type == PoolingType::kMax ? 1 : 0;
  p.is_signed = IsSigned(node.inputs[0].type);
  p.least = values.least;
  p.most = values.most;
  target.writer->AddNode(kPool, {target.inputs[0], target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
