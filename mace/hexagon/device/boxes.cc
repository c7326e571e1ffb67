// Boxes with few axes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/boxes.h"

namespace mace::hexagon {
namespace {

constexpr size_t kAxes = 5;  // of MoveParams

struct Axis {
  int64_t extent, x_stride, y_stride;
};

}  // namespace

std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    strides[i - 1] = stride;
    stride *= shape[i - 1];
  }
  return strides;
}

Result<MoveParams> ToMove(const Node& node, const MoveBox& box) {
  // From the innermost axis on; an axis goes on where the one inside it ends,
  // on both sides, or is one of its own.
  int64_t run = 1;
  std::vector<Axis> axes;  // the innermost first
  for (size_t i = box.extents.size(); i > 0; --i) {
    const Axis axis = {box.extents[i - 1], box.x_strides[i - 1],
                       box.y_strides[i - 1]};
    if (axis.extent == 1) continue;
    if (axes.empty() && axis.x_stride == run && axis.y_stride == run) {
      run *= axis.extent;
    } else if (!axes.empty() &&
               axis.x_stride == axes.back().extent * axes.back().x_stride &&
               axis.y_stride == axes.back().extent * axes.back().y_stride) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.size() > kAxes) {
    return Unsupported(Label(node), ": the DSP moves along ", kAxes,
                       " axes at once, not ", axes.size());
  }
  MoveParams p = {};
  for (size_t i = 0; i < kAxes; ++i) {
    const bool is_there = i < axes.size();
    const size_t at = kAxes - 1 - i;
    p.extents[at] = is_there ? static_cast<int32_t>(axes[i].extent) : 1;
    p.x_strides[at] = is_there ? static_cast<int32_t>(axes[i].x_stride) : 0;
    p.y_strides[at] = is_there ? static_cast<int32_t>(axes[i].y_stride) : 0;
  }
  p.run = static_cast<int32_t>(run);
  p.x_offset = static_cast<int32_t>(box.x_offset);
  p.y_offset = static_cast<int32_t>(box.y_offset);
  return p;
}

}  // namespace mace::hexagon
