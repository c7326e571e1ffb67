// Resize: LINEAR and NEAREST.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/protocol/window.h"

namespace mace::hexagon {
namespace {

constexpr int kBits = 10;  // fraction bits of positions

Result<int> AddWords(const std::vector<int32_t>& words, GraphWriter* writer) {
  const size_t bytes = words.size() * sizeof(int32_t);
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(bytes, "positions for the DSP"));
  std::memcpy(buffer.data(), words.data(), bytes);
  return writer->AddConstant(std::move(buffer));
}

// For each of `m` outputs along an axis of `n`: the two inputs, and how far
// it is from the first, in the fixed point of TFLite's RESIZE_BILINEAR.
std::vector<int32_t> Positions(const std::string& coordinate, int64_t n,
                               int64_t m) {
  constexpr int64_t kOne = 1 << kBits;
  const bool aligns = coordinate == "ALIGN_CORNERS" && m > 1;
  const int64_t in = aligns ? n - 1 : n, out = aligns ? m - 1 : m;
  const int64_t step = (in * kOne + out / 2) / out;
  std::vector<int32_t> words;
  for (int64_t i = 0; i < m; ++i) {
    int64_t at = i * step;
    if (coordinate == "HALF_PIXEL") at += step / 2 - kOne / 2;
    const int64_t low = std::max<int64_t>(at / kOne, 0);
    const int64_t high = std::min<int64_t>((at + kOne - 1) / kOne, n - 1);
    words.push_back(static_cast<int32_t>(low));
    words.push_back(static_cast<int32_t>(high));
    words.push_back(static_cast<int32_t>(at - low * kOne));
  }
  return words;
}

// The same in the floats of TFLite, for quantized values without a sign:
// weights are the bits of floats.
std::vector<int32_t> FloatPositions(const std::string& coordinate, int64_t n,
                                    int64_t m) {
  const bool aligns = coordinate == "ALIGN_CORNERS" && m > 1;
  const float step = static_cast<float>(aligns ? n - 1 : n) /
                     static_cast<float>(aligns ? m - 1 : m);
  std::vector<int32_t> words;
  for (int64_t i = 0; i < m; ++i) {
    const auto index = static_cast<float>(i);
    const float at = coordinate == "HALF_PIXEL" ? (index + 0.5f) * step - 0.5f
                                                : index * step;
    const auto low = std::max<int32_t>(static_cast<int32_t>(std::floor(at)), 0);
    const auto high = std::min(static_cast<int32_t>(std::ceil(at)),
                               static_cast<int32_t>(n - 1));
    const float share = at - static_cast<float>(low);
    int32_t bits = 0;
    std::memcpy(&bits, &share, sizeof(bits));
    words.insert(words.end(), {low, high, bits});
  }
  return words;
}

// Two gathers: of rows, and then of columns.
Status AddNearest(const Node& node, const ResizeAttrs& attrs,
                  const Target& target) {
  const Shape &x = node.inputs[0].type.shape, &y = node.outputs[0].shape;
  GraphWriter* const writer = target.writer;
  const auto narrow = [](int64_t n) { return static_cast<int32_t>(n); };
  const int rows = writer->AddInner(x[0] * y[1] * x[2] * x[3]);
  for (const int axis : {0, 1}) {
    const ResizeTaps taps = TapsOf(attrs, node, axis);
    const std::vector<int32_t> words(taps.index.begin(), taps.index.end());
    MACE_ASSIGN_OR_RETURN(const int indices, AddWords(words, writer));
    const GatherParams p = axis == 0
                               ? GatherParams{narrow(x[0]), narrow(x[1]),
                                              narrow(y[1]), narrow(x[2] * x[3])}
                               : GatherParams{narrow(x[0] * y[1]), narrow(x[2]),
                                              narrow(y[2]), narrow(x[3])};
    writer->AddNode(kGather,
                    {axis == 0 ? target.inputs[0] : rows, indices,
                     axis == 0 ? rows : target.output},
                    p);
  }
  return Status();
}

}  // namespace

Status TranslateResize(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ResizeAttrs>(node));
  const TensorType &from = node.inputs[0].type, &to = node.outputs[0];
  const Shape &x = from.shape, &y = to.shape;
  const bool has_size = node.has_input(1) || !attrs.size.empty();
  const bool is_nearest = attrs.mode == "NEAREST";
  const bool is_linear =
      attrs.mode == "LINEAR" && has_size &&
      (attrs.coordinate == "ASYMMETRIC" || attrs.coordinate == "HALF_PIXEL" ||
       attrs.coordinate == "ALIGN_CORNERS");
  if (!(is_nearest || is_linear) ||
      !AreEqual(from.quantization, to.quantization)) {
    return Unsupported(Label(node),
                       ": the DSP computes NEAREST, and LINEAR to ",
                       "a size with the coordinates ASYMMETRIC, HALF_PIXEL ",
                       "and ALIGN_CORNERS, in one scale");
  }
  for (const int64_t extent :
       {x[0], x[1], x[2], x[3], y[1], y[2], x[0] * y[1], x[2] * x[3]}) {
    if (extent <= kMaxExtent || (is_nearest && extent < 1 << 28)) continue;
    return Unsupported(Label(node), ": too large for the DSP");
  }
  if (target.writer == nullptr) return Status();
  if (is_nearest) return AddNearest(node, attrs, target);
  const auto narrow = [](int64_t n) { return static_cast<int32_t>(n); };
  const bool is_signed = IsSigned(from) != 0;
  const auto positions = is_signed ? Positions : FloatPositions;
  MACE_ASSIGN_OR_RETURN(
      const int rows,
      AddWords(positions(attrs.coordinate, x[1], y[1]), target.writer));
  MACE_ASSIGN_OR_RETURN(
      const int columns,
      AddWords(positions(attrs.coordinate, x[2], y[2]), target.writer));
  const ResizeParams p = {narrow(x[0]), narrow(x[1]), narrow(x[2]),
                          narrow(y[1]), narrow(y[2]), narrow(x[3])};
  target.writer->AddNode(is_signed ? kResizeBilinear : kResizeBilinearReal,
                         {target.inputs[0], rows, columns, target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
