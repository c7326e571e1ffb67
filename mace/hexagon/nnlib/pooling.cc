// Pooling by QuantizedMaxPool_8 and QuantizedAvgPool_8.
// SPDX-License-Identifier: Apache-2.0
//
// Source: docs/ops.txt of nnlib. An average is one of the quantized values
// inside of the image, as with TensorFlow.

#include "mace/ops/pooling.h"

#include "mace/graph/attrs.h"
#include "mace/hexagon/nnlib/translate.h"

namespace mace::hexagon::nnlib {

Status TranslatePooling(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<PoolingAttrs>(node));
  const auto type = static_cast<PoolingType>(attrs.pooling_type);
  if (type == PoolingType::kL2) {
    return Unsupported(Label(node), ": MACE uses the vendor's library for MAX ",
                       "and AVERAGE");
  }
  MACE_ASSIGN_OR_RETURN(const Window2D window, PoolingWindow(node, attrs));
  const NnPadding padding = PaddingOf(window);
  const bool is_average = type == PoolingType::kAverage;
  if (padding == kPadNone ||
      (is_average && attrs.count_include_pad && padding != kPadValid)) {
    return Unsupported(Label(node), ": the vendor's library pools windows ",
                       "with the padding VALID or SAME, of which averages ",
                       "leave out the padding");
  }
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind, LimitOf(node, attrs));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const Shape4 shape, ToShape4(node, y.shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor& x = target->inputs[0];
  const auto narrow = [](int64_t n) { return static_cast<uint32_t>(n); };
  const NnInput sizes =
      graph->Sizes(1, narrow(window.h.kernel), narrow(window.w.kernel), 1);
  const NnInput strides =
      graph->Sizes(1, narrow(window.h.stride), narrow(window.w.stride), 1);
  const QuantTensor pooled = graph->AddQuantized(
      is_average ? kOpAvgPool : kOpMaxPool,
      {x.data, x.min, x.max, sizes, strides}, shape, padding);
  const QuantTensor in_range = InRangeOf(node.inputs[0].type, y, pooled, graph);
  target->output = Limited(kind, attrs, y, in_range, graph);
  return Status();
}

}  // namespace mace::hexagon::nnlib
