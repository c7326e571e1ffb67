// Reduce: MEAN and SUM along axes that lie side by side.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reduce.h"

#include <algorithm>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/codes.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/filters.h"

namespace mace::hexagon {
namespace {

// Sums of codes and of zero points fit 32 bits.
constexpr int64_t kMostReduced = 1 << 23;

// The factor divided by n: with as many bits more as n has, and then towards
// zero, as TFLite does.
FixedParams DividedBy(FixedParams factor, int64_t n) {
  const int bits = 63 - __builtin_clzll(static_cast<uint64_t>(n));
  const int more = std::min({bits, 32, 31 + factor.exponent});
  return {static_cast<int32_t>(factor.mantissa * (int64_t{1} << more) / n),
          factor.exponent - more};
}

}  // namespace

Status TranslateReduce(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ReduceKind kind, ReduceKindOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  // The extents before, along and behind the axes; those of 1 do not count.
  int64_t outer = 1, n = 1, inner = 1;
  bool is_apart = false;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t extent = x.shape[d];
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) {
      is_apart = is_apart || (inner > 1 && extent > 1);
      n *= extent;
    } else if (n > 1) {
      inner *= extent;
    } else {
      outer *= extent;
    }
  }
  const bool adds = kind == ReduceKind::kMean || kind == ReduceKind::kSum;
  if (!adds || is_apart || n > kMostReduced) {
    return Unsupported(Label(node), ": the DSP computes MEAN and SUM of at ",
                       "most ", kMostReduced, " codes, along axes that lie ",
                       "side by side");
  }
  const Quantization &from = *x.quantization, &to = *y.quantization;
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  ReduceParams p = {};
  p.scale = ToFixed(double{from.scale()} / to.scale());
  if (!AreInRange({p.scale})) {
    return Unsupported(Label(node), ": the scales are too far apart");
  }
  if (kind == ReduceKind::kMean) p.scale = DividedBy(p.scale, n);
  p.outer = static_cast<int32_t>(outer);
  p.n = static_cast<int32_t>(n);
  p.inner = static_cast<int32_t>(inner);
  p.bias = static_cast<int32_t>(from.zero_point() * n);
  p.is_signed = IsSigned(x);
  p.y = {to.zero_point(), least, least + 255};
  if (target.writer == nullptr) return Status();
  target.writer->AddNode(kReduce, {target.inputs[0], target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
