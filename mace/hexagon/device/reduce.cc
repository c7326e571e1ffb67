// Reduce: MEAN, SUM, MIN and MAX along axes that lie side by side.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/filters.h"

namespace mace::hexagon {
namespace {

// Sums of quantized values and of zero points fit 32 bits.
constexpr int64_t kMaxReduced = 1 << 23;

// The factor divided by n: with as many bits more as n has, and then towards
// zero, as TFLite does.
FixedParams DividedBy(FixedParams factor, int64_t n) {
  const int bits = 63 - __builtin_clzll(static_cast<uint64_t>(n));
  const int more = std::min({bits, 32, 31 + factor.exponent});
  return {static_cast<int32_t>(factor.mantissa * (int64_t{1} << more) / n),
          factor.exponent - more};
}

// The input as [outer, n, inner], of which n is reduced.
struct Extents {
  int64_t outer = 1, n = 1, inner = 1;
  bool is_apart = false;  // the axes do not lie side by side
};

Extents ExtentsOf(const Shape& x, const std::vector<int>& axes) {
  Extents e;
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t extent = x[d];  // those of 1 do not count
    if (std::find(axes.begin(), axes.end(), static_cast<int>(d)) !=
        axes.end()) {
      e.is_apart = e.is_apart || (e.inner > 1 && extent > 1);
      e.n *= extent;
    } else if (e.n > 1) {
      e.inner *= extent;
    } else {
      e.outer *= extent;
    }
  }
  return e;
}

// Each byte b becomes 255 - b, which turns the order of quantized values
// around, with a sign or without.
Result<int> AddReversed(int x, int64_t bytes, int y, GraphWriter* writer) {
  MACE_ASSIGN_OR_RETURN(AlignedBuffer table,
                        AlignedBuffer::Create(256, "a table for the DSP"));
  auto* const values = static_cast<uint8_t*>(table.data());
  for (int b = 0; b < 256; ++b) values[b] = static_cast<uint8_t>(255 - b);
  const int constant = writer->AddConstant(std::move(table));
  const LookupParams p = {static_cast<int32_t>(bytes)};
  writer->AddNode(kLookup, {x, constant, y}, p);
  return y;
}

// MAX is a pooling of images [a, b] with a * b = n pixels by one window; MIN
// is that of quantized values in the other order.
Status AddPick(const Node& node, const Extents& e, bool is_max,
               const Target& target) {
  constexpr int64_t kMaxTaps = 1024, kMax = 1 << 16;
  int64_t rows = (e.n + kMaxTaps - 1) / kMaxTaps;
  while (rows <= kMaxTaps && e.n % rows != 0) ++rows;
  if (rows > kMaxTaps || e.outer > kMax || e.inner > kMax ||
      !AreEqual(node.inputs[0].type.quantization,
                node.outputs[0].quantization)) {
    return Unsupported(
        Label(node), ": the DSP runs MIN and MAX where input and output have ",
        "the same scale and zero point, on at most 1024 x 1024 ",
        "elements, of at most ", kMax, " rows and columns");
  }
  if (target.writer == nullptr) return Status();
  GraphWriter* const writer = target.writer;
  const auto least = IsSigned(node.outputs[0]) != 0 ? -128 : 0;
  const auto narrow = [](int64_t n) { return static_cast<int32_t>(n); };
  const int32_t h = narrow(rows), w = narrow(e.n / rows);
  PoolParams p = {};
  p.batch = narrow(e.outer);
  p.h = {h, 1, h, 1, 1, 0};
  p.w = {w, 1, w, 1, 1, 0};
  p.channels = narrow(e.inner);
  p.is_max = 1;
  p.is_signed = IsSigned(node.inputs[0].type);
  p.least = least;
  p.most = least + 255;
  if (is_max) {
    writer->AddNode(kPool, {target.inputs[0], target.output}, p);
    return Status();
  }
  const int64_t in_bytes = e.outer * e.n * e.inner, out = e.outer * e.inner;
  MACE_ASSIGN_OR_RETURN(const int x,
                        AddReversed(target.inputs[0], in_bytes,
                                    writer->AddInner(in_bytes), writer));
  const int y = writer->AddInner(out);
  writer->AddNode(kPool, {x, y}, p);
  return AddReversed(y, out, target.output, writer).status();
}

}  // namespace

Status TranslateReduce(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ReduceKind kind, ReduceKindOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  const Extents e = ExtentsOf(x.shape, axes);
  const bool adds = kind == ReduceKind::kMean || kind == ReduceKind::kSum;
  const bool picks = kind == ReduceKind::kMin || kind == ReduceKind::kMax;
  if (!(adds || picks) || e.is_apart || e.n > kMaxReduced) {
    return Unsupported(Label(node), ": the DSP computes MEAN, SUM, MIN and ",
                       "MAX of at most ", kMaxReduced,
                       " elements, along axes that are next to each other");
  }
  if (picks) return AddPick(node, e, kind == ReduceKind::kMax, target);
  const Quantization &from = *x.quantization, &to = *y.quantization;
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  ReduceParams p = {};
  p.scale = ToFixed(double{from.scale()} / to.scale());
  if (!AreInRange({p.scale})) {
    return Unsupported(Label(node), ": the scales are too far apart");
  }
  if (kind == ReduceKind::kMean) p.scale = DividedBy(p.scale, e.n);
  p.outer = static_cast<int32_t>(e.outer);
  p.n = static_cast<int32_t>(e.n);
  p.inner = static_cast<int32_t>(e.inner);
  p.bias = static_cast<int32_t>(from.zero_point() * e.n);
  p.is_signed = IsSigned(x);
  p.y = {to.zero_point(), least, least + 255};
  if (target.writer == nullptr) return Status();
  target.writer->AddNode(kReduce, {target.inputs[0], target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
