// Pad on the CPU: a box for the input, and boxes around it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pad.h"

#include <algorithm>

#include "mace/cpu/common/convert.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/cpu/quantized/quantization.h"

namespace mace::cpu {
namespace {

// Along one axis of y: `count` elements from index `dst` on, which come from x
// at src, src + step, ...
struct Segment {
  int64_t dst, count, src, step;
};

// Returns the parts of an axis of extent n: the padding before, the elements of
// x, and the padding after. A constant pad has only the elements of x.
std::vector<Segment> Segments(PadMode mode, int64_t n, int64_t before,
                              int64_t after) {
  const int64_t skip = std::max<int64_t>(0, -before);
  const int64_t kept = n - skip - std::max<int64_t>(0, -after);
  const int64_t at = std::max<int64_t>(0, before);
  std::vector<Segment> segments = {{at, kept, skip, 1}};
  if (mode == PadMode::kConstant) return segments;
  const int64_t step = mode == PadMode::kEdge ? 0 : -1;
  const int64_t edge = mode == PadMode::kReflect ? 1 : 0;  // elements skipped
  // The padding element next to x comes from its edge; the first one from
  // farther inside.
  if (before > 0) {
    segments.push_back({0, before, step == 0 ? 0 : before - 1 + edge, step});
  }
  if (after > 0) {
    segments.push_back({at + kept, after, n - 1 - edge, step});
  }
  return segments;
}

// Adds the boxes of constants around [lo, hi) of each axis: before and after
// along axis d, within the middle of the axes before d, and all of the axes
// after d.
void AddBorder(const TensorType& y, const std::vector<Segment>& middle,
               std::vector<CopyBox>* boxes) {
  const auto strides = DenseStrides(y.shape);
  const std::vector<int64_t> no_strides(y.shape.size(), 0);
  mace::Shape extents = y.shape;
  int64_t at = 0;
  for (int d = 0; d < y.rank(); ++d) {
    const int64_t lo = middle[d].dst, hi = lo + middle[d].count;
    for (const auto& [begin, end] :
         {std::pair(int64_t{0}, lo), std::pair(hi, y.shape[d])}) {
      extents[d] = end - begin;
      boxes->push_back(MakeBox(SizeOf(y.dtype), extents, no_strides, 0, strides,
                               at + begin * strides[d]));
      boxes->back().input = CopyBox::kFill;
    }
    extents[d] = middle[d].count;
    at += lo * strides[d];
  }
}

Result<KernelPtr> PreparePad(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const PadSpec spec, PadOf(node));
  const TensorType& x = node.inputs[0].type;
  const TensorType& y = node.outputs[0];
  const auto x_strides = DenseStrides(x.shape);
  const auto y_strides = DenseStrides(y.shape);
  std::vector<std::vector<Segment>> segments;
  std::vector<Segment> middle;
  int64_t num_boxes = 1;
  for (int d = 0; d < x.rank(); ++d) {
    segments.push_back(Segments(spec.mode, x.shape[d], spec.pads[2 * d],
                                spec.pads[2 * d + 1]));
    middle.push_back(segments[d][0]);
    num_boxes *= static_cast<int64_t>(segments[d].size());
    if (num_boxes > 10000) {
      return Unsupported(Label(node), ": pads too many axes at once with ",
                         "a mirrored or repeated edge");
    }
  }
  std::vector<CopyBox> boxes;
  // Each combination of one segment for each axis is a box.
  for (int64_t i = 0; i < num_boxes; ++i) {
    int64_t rest = i, src = 0, dst = 0;
    mace::Shape extents(x.rank());
    std::vector<int64_t> strides(x.rank());
    for (int d = 0; d < x.rank(); ++d) {
      const int64_t n = static_cast<int64_t>(segments[d].size());
      const Segment& s = segments[d][rest % n];
      rest /= n;
      extents[d] = s.count;
      strides[d] = s.step * x_strides[d];
      src += s.src * x_strides[d];
      dst += s.dst * y_strides[d];
    }
    boxes.push_back(
        MakeBox(SizeOf(x.dtype), extents, strides, src, y_strides, dst));
  }
  if (spec.mode == PadMode::kConstant) AddBorder(y, middle, &boxes);
  uint64_t value = 0;
  if (y.is_quantized()) {
    const int32_t q =
        QuantizeFloat(spec.constant_value, *y.quantization, RangeOf(y.dtype));
    ConvertElements(DataType::kI32, &q, y.dtype, &value, 1);
  } else {
    ConvertElements(DataType::kF32, &spec.constant_value, x.dtype, &value, 1);
  }
  return MakeCopyKernel(context, std::move(boxes), &value);
}

}  // namespace

CpuKernelDefs Pad() { return ForAllTypes(PreparePad); }

}  // namespace mace::cpu
