// Resize: scales an image to another size.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type (NEAREST); f32, or quantized i8 or u8, [N,H,W,C]
//          size  i32 or i64 [2]: h, w; optional; known before the model runs
// Outputs  y     as x, [N,h,w,C]
// Attrs    mode NEAREST | LINEAR | CUBIC; size or scales (h, w); coordinate,
//          nearest_mode, cubic_coeff, exclude_outside: see the tables below;
//          cubic_steps > 0: positions between pixels are rounded to this many;
//          by_step: positions are multiples of in / out, as in TensorFlow
// Errors   neither size nor scales; a size below 1; an unknown name; steps
//          below 0
// Source   ONNX Resize-13, tf.image.resize, TFLite RESIZE_BILINEAR,
//          Keys 1981, "Cubic convolution interpolation", equation 4 (with a)

#include "mace/ops/resize.h"

#include <algorithm>
#include <cmath>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

// One axis, in the float32 arithmetic of the frameworks: positions next to a
// whole number or a tie fall where theirs do.
struct ResizeAxis {
  float in, out;
  float scale;  // out / in, or what the model says
  float step;   // 1 / scale
  bool by_step;

  float Back(float i) const { return by_step ? i * step : i / scale; }
};

// Maps output pixel `i` to an input position.
struct Coordinate {
  const char* name;
  float (*source)(float i, const ResizeAxis& a);
};
constexpr Coordinate kCoordinates[] = {
    {"ASYMMETRIC", [](float i, const ResizeAxis& a) { return a.Back(i); }},
    {"HALF_PIXEL",
     [](float i, const ResizeAxis& a) { return a.Back(i + 0.5f) - 0.5f; }},
    {"ALIGN_CORNERS",
     [](float i, const ResizeAxis& a) {
       if (a.out <= 1 || a.in == a.out) return a.out <= 1 ? 0 : i;
       return a.by_step ? i * ((a.in - 1) / (a.out - 1))
                        : i * (a.in - 1) / (a.out - 1);
     }},
    {"PYTORCH_HALF_PIXEL",
     [](float i, const ResizeAxis& a) {
       return a.out > 1 ? a.Back(i + 0.5f) - 0.5f : 0;
     }},
    {"TF_HALF_PIXEL_NN",
     [](float i, const ResizeAxis& a) { return a.Back(i + 0.5f); }},
};

// Rounds to the nearest; ties, which a quotient may miss by `tolerance`, up or
// down.
float RoundTie(float x, bool up, float tolerance) {
  const float low = std::floor(x), rest = x - low;
  const bool is_tie = std::fabs(rest - 0.5f) <= tolerance;
  return (is_tie ? up : rest > 0.5f) ? low + 1 : low;
}

struct Rounding {
  const char* name;
  float (*round)(float x, float tolerance);
};
constexpr Rounding kRoundings[] = {
    {"FLOOR", [](float x, float) { return std::floor(x); }},
    {"CEIL", [](float x, float) { return std::ceil(x); }},
    {"ROUND_PREFER_FLOOR",
     [](float x, float tolerance) { return RoundTie(x, false, tolerance); }},
    {"ROUND_PREFER_CEIL",
     [](float x, float tolerance) { return RoundTie(x, true, tolerance); }},
};
// That of ONNX Runtime, with which ONNX models agree in every tie up to 16.
constexpr float kTieTolerance = 1e-6f;

template <typename Table>
int IndexIn(const Table& table, const std::string& name) {
  int i = 0;
  for (const auto& row : table) {
    if (name == row.name) return i;
    ++i;
  }
  return -1;
}

// Keys' kernel at distance d >= 0.
float CubicWeight(float d, float a) {
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((d - 5) * d + 8) * d * a - 4 * a;
  return 0;
}

void AddCubic(const ResizeAttrs& attrs, float at, int64_t in,
              ResizeTaps* taps) {
  const float base = std::floor(at);
  float fraction = at - base;
  if (attrs.cubic_steps > 0) {
    const float steps = static_cast<float>(attrs.cubic_steps);
    fraction = std::nearbyint(fraction * steps) / steps;
  }
  float weights[4], sum = 0;
  for (int k = 0; k < 4; ++k) {
    const float offset = static_cast<float>(k - 1), position = base + offset;
    weights[k] = CubicWeight(std::fabs(fraction - offset), attrs.cubic_coeff);
    if (attrs.exclude_outside &&
        (position < 0 || position > static_cast<float>(in - 1))) {
      weights[k] = 0;
    }
    sum += weights[k];
  }
  for (int k = 0; k < 4; ++k) {
    const int64_t i = static_cast<int64_t>(base) + k - 1;
    taps->index.push_back(std::clamp<int64_t>(i, 0, in - 1));
    taps->weight.push_back(attrs.exclude_outside ? weights[k] / sum
                                                 : weights[k]);
  }
}

}  // namespace

ResizeTaps TapsOf(const ResizeAttrs& attrs, const Node& node, int axis) {
  const int64_t in = node.inputs[0].type.shape[axis + 1];
  const int64_t out = node.outputs[0].shape[axis + 1];
  const float in_f = static_cast<float>(in), out_f = static_cast<float>(out);
  const bool by_size = node.has_input(1)
                           ? NumElements(node.inputs[1].type.shape) > 0
                           : !attrs.size.empty();
  const float scale = by_size ? out_f / in_f : attrs.scales[axis];
  // Files of earlier releases say by cubic_steps that they are TensorFlow's.
  const bool by_step = attrs.by_step || attrs.cubic_steps > 0;
  const ResizeAxis line = {in_f, out_f, scale,
                           by_size ? in_f / out_f : 1 / scale, by_step};
  const auto source =
      kCoordinates[IndexIn(kCoordinates, attrs.coordinate)].source;
  const auto round = kRoundings[IndexIn(kRoundings, attrs.nearest_mode)].round;

  ResizeTaps taps;
  taps.num_taps = attrs.mode == "NEAREST" ? 1 : attrs.mode == "LINEAR" ? 2 : 4;
  for (int64_t i = 0; i < out; ++i) {
    const float at = source(static_cast<float>(i), line);
    if (attrs.mode == "CUBIC") {
      AddCubic(attrs, at, in, &taps);
      continue;
    }
    const float inside = std::clamp(
        attrs.mode == "NEAREST" ? round(at, by_step ? 0 : kTieTolerance) : at,
        0.0f, in_f - 1);
    const int64_t first = static_cast<int64_t>(inside);
    taps.index.push_back(first);
    if (attrs.mode == "NEAREST") {
      taps.weight.push_back(1);
      continue;
    }
    const float fraction = inside - static_cast<float>(first);
    taps.index.push_back(std::min(first + 1, in - 1));
    taps.weight.push_back(1 - fraction);
    taps.weight.push_back(fraction);
  }
  return taps;
}

namespace ops {
namespace {

// Beyond this extent a float does not distinguish adjacent positions.
constexpr int64_t kMaxExtent = 1 << 24;

// Returns the extent of `in` after scaling.
Result<int64_t> Scaled(const Node& node, int64_t in, float scale) {
  const float out = std::floor(static_cast<float>(in) * scale);
  if (scale > 0 && out <= static_cast<float>(kMaxExtent))
    return static_cast<int64_t>(out);
  return NodeError(node, "scale ", std::to_string(scale),
                   " is out of range for extent ", in);
}

Status InferResize(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,H,W,C]"));
  if (attrs.cubic_steps < 0 || attrs.cubic_steps > kMaxExtent) {
    return NodeError(node, "cubic_steps is ", attrs.cubic_steps,
                     ", it must be in [0, ", kMaxExtent, "]");
  }
  MACE_ASSIGN_OR_RETURN(std::vector<int64_t> size, IntsOf(node, 1, attrs.size));
  TensorType y = node.inputs[0].type;
  if (attrs.mode != "NEAREST" && y.dtype != DataType::kF32 &&
      y.dtype != DataType::kI8 && y.dtype != DataType::kU8) {
    return NodeError(node, "x is ", ToString(y), ", for ", attrs.mode,
                     " it must be f32, or quantized i8 or u8");
  }
  if (size.empty()) {
    if (attrs.scales.size() != 2) {
      return NodeError(node, "needs a size or scales of two numbers, h and w");
    }
    for (int k = 0; k < 2; ++k) {
      MACE_ASSIGN_OR_RETURN(const int64_t extent,
                            Scaled(node, y.shape[k + 1], attrs.scales[k]));
      size.push_back(extent);
    }
  }
  const auto fits = [](int64_t n) { return n >= 1 && n <= kMaxExtent; };
  if (size.size() != 2 || !fits(size[0]) || !fits(size[1]) ||
      !fits(y.shape[1]) || !fits(y.shape[2])) {
    return NodeError(node, "cannot resize x ", ToString(y), " to size ",
                     ListToString(size), "; it must be [h, w], each in [1, ",
                     kMaxExtent, "]");
  }
  y.shape[1] = size[0];
  y.shape[2] = size[1];
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Resize() {
  return Op{"Resize", 1, 2, 1, InferResize, AttrsOf<ResizeAttrs>}
      .Choices("mode", Texts{"NEAREST LINEAR CUBIC"})
      .Choices("coordinate", NamesIn(kCoordinates))
      .Choices("nearest_mode", NamesIn(kRoundings))
      .Takes({AnyType(), Indices()})
      .TakesWith("mode", Texts{"LINEAR CUBIC"}, OneOf({DataType::kF32}))
      .Knows(1, "size")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
