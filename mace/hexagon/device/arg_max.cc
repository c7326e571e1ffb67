// ArgMax of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/arg_max.h"

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/protocol/window.h"
#include "mace/ops/common/operands.h"

namespace mace::hexagon {

Status TranslateArgMax(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "input", x));
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ArgMaxAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  if (x.shape[axis] > kMaxExtent) {
    return Unsupported(Label(node), ": the DSP compares at most ", kMaxExtent,
                       " elements");
  }
  ArgMaxParams p = {};
  p.outer = p.inner = 1;
  p.n = static_cast<int32_t>(x.shape[axis]);
  for (int d = 0; d < x.rank(); ++d) {
    if (d == axis) continue;
    (d < axis ? p.outer : p.inner) *= static_cast<int32_t>(x.shape[d]);
  }
  p.is_min = attrs.argmin ? 1 : 0;
  p.is_last = attrs.select_last ? 1 : 0;
  p.is_signed = IsSigned(x);
  p.is_wide = node.outputs[0].dtype == DataType::kI64 ? 1 : 0;
  if (target.writer == nullptr) return Status();
  target.writer->AddNode(kArgMax, {target.inputs[0], target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
