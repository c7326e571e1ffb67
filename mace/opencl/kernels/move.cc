// Turning maps of elements into passes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/move.h"

#include <utility>

#include "mace/base/sort.h"

namespace mace::opencl {
namespace {

// Merges digits that follow one another.
void Simplify(MoveAxis& axis) {
  std::vector<MoveDigit> merged;
  StableSort(&axis.digits, [](const MoveDigit& a, const MoveDigit& b) {
    return a.divisor < b.divisor;
  });
  for (const MoveDigit& digit : axis.digits) {
    if (digit.extent == 1 || digit.step == 0) continue;
    if (!merged.empty()) {
      MoveDigit& last = merged.back();
      if (digit.divisor == last.divisor * last.extent &&
          digit.step == last.step * last.extent) {
        last.extent *= digit.extent;
        continue;
      }
    }
    merged.push_back(digit);
  }
  axis.digits = std::move(merged);
}

// Returns whether each block of the region, which has `channels` channels, is a
// whole block of x.
bool MovesBlocks(const MoveMap& map, int64_t in_channels, int64_t channels) {
  bool contiguous = channels == 1 && in_channels == 1;
  for (const MoveAxis& axis : map.axes) {
    const int64_t begin = axis.first * axis.stride % in_channels;
    if (begin % 4 != 0) return false;
    for (const MoveDigit& digit : axis.digits) {
      const int64_t step = digit.step * axis.stride;
      if (digit.divisor != 1 || step != 1) {
        const bool aligned =
            step % in_channels == 0 || (in_channels % 4 == 0 && step % 4 == 0);
        if (!aligned) return false;
        continue;
      }
      const bool whole_pixels =
          digit.extent % channels == 0 && in_channels == channels && begin == 0;
      const bool one_pixel =
          digit.extent == channels &&
          (in_channels % 4 == 0 || begin + digit.extent <= in_channels);
      const bool blocks =
          digit.extent % 4 == 0 && channels % 4 == 0 && in_channels % 4 == 0;
      if (!whole_pixels && !one_pixel && !blocks) return false;
      // Beyond the ends of an axis each channel is computed on its own, unless
      // the whole block has the same value there.
      const bool padded =
          (map.axes.size() > 1 || map.mode != MoveMode::kConstant) &&
          (axis.first != 0 || axis.extent != digit.extent);
      if (padded && (in_channels % 4 != 0 || map.mode != MoveMode::kConstant)) {
        return false;
      }
      contiguous = true;
    }
  }
  return contiguous;
}

ConstantPtr MapTable(const MoveMap& map) {
  std::vector<cl_int> numbers;
  const auto add = [&numbers](auto... values) {
    (numbers.push_back(static_cast<cl_int>(values)), ...);
  };
  add(map.axes.size());
  for (const MoveAxis& axis : map.axes) {
    add(axis.first, axis.extent, axis.stride, axis.digits.size());
    for (const MoveDigit& d : axis.digits) add(d.divisor, d.extent, d.step);
  }
  return Target::Table(numbers);
}

// Returns how many rows of the image belong to one position of axis `d`.
int64_t RowsWithin(const Shape& shape, int d) {
  const int rank = static_cast<int>(shape.size());
  int64_t rows = 1;
  for (int k = d + 1; k < (rank >= 4 ? rank - 2 : rank - 1); ++k) {
    rows *= shape[k];
  }
  return rows;
}

// Adds the arguments that place the region in y.
void AddPlace(const Move& move, Pass& pass) {
  const Shape& y = move.y.empty() ? move.region : move.y;
  const Extents4 out = AsNhwc(y), region = AsNhwc(move.region);
  const int rank = static_cast<int>(y.size()), axis = move.axis;
  int64_t rows = region[0] * region[1], rows_apart = rows;
  int64_t block = 0, column = 0, row = 0;
  if (axis + 1 >= rank) {
    block = move.offset / 4;
  } else if (rank >= 4 && axis == rank - 2) {
    column = move.offset;
  } else {
    const int64_t within = RowsWithin(y, axis);
    rows = move.region[axis] * within;
    rows_apart = y[axis] * within;
    row = move.offset * within;
  }
  pass.Int(region[3], out[3], out[2], block, column, row, rows, rows_apart);
}

}  // namespace

std::vector<int64_t> DenseSteps(const Shape& shape) {
  std::vector<int64_t> steps(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) steps[d - 1] = steps[d] * shape[d];
  return steps;
}

MoveMap StridedMap(const Shape& extents, const std::vector<int64_t>& steps,
                   int64_t first, int64_t size) {
  const std::vector<int64_t> divisors = DenseSteps(extents);
  MoveAxis axis;
  axis.first = first;
  axis.extent = size;
  for (size_t d = 0; d < extents.size(); ++d) {
    axis.digits.push_back({divisors[d], extents[d], steps[d]});
  }
  return {{axis}};
}

MoveMap SliceMap(const Shape& x, const SliceSpec& spec) {
  std::vector<int64_t> steps = DenseSteps(x);
  int64_t first = 0;
  for (size_t d = 0; d < x.size(); ++d) {
    first += spec.starts[d] * steps[d];
    steps[d] *= spec.steps[d];
  }
  return StridedMap(spec.counts, steps, first, NumElements(x));
}

Pass MovePass(const Move& move) {
  MoveMap map = move.map;
  for (MoveAxis& axis : map.axes) Simplify(axis);
  const Extents4 x = AsNhwc(move.x), region = AsNhwc(move.region);
  const bool blocks = MovesBlocks(map, x[3], region[3]);
  Pass pass("move", blocks ? "move_blocks" : "move", BlockGrid(region));
  if (move.constant != nullptr) {
    pass.Constant(move.constant);
  } else if (move.from_scratch) {
    pass.Image(0);
  } else {
    pass.In(move.input);
  }
  pass.Constant(MapTable(map));
  if (move.to_scratch) {
    pass.Image(0);
  } else {
    pass.Out(move.output);
  }
  pass.Int(x[2], x[3]);
  AddPlace(move, pass);
  pass.Int(static_cast<int>(map.mode)).Float(map.fill);
  return pass;
}

KernelSpec DescribeMove(const Node& node, MoveMap map) {
  Move move;
  move.map = std::move(map);
  move.x = node.inputs[0].type.shape;
  move.region = node.outputs[0].shape;
  Pass pass = MovePass(move);
  return KernelSpec{{pass}};
}

bool SameImage(const Shape& a, const Shape& b) {
  const Extents4 p = AsNhwc(a), q = AsNhwc(b);
  return p[0] * p[1] == q[0] * q[1] && p[2] == q[2] && p[3] == q[3];
}

Result<KernelSpec> DescribeReshape(const Node& node, const Target& /*target*/) {
  const Shape& x = node.inputs[0].type.shape;
  if (SameImage(x, node.outputs[0].shape)) {
    KernelSpec::Info info;
    info.renames_only = true;
    return KernelSpec{{}, info};
  }
  const int64_t size = NumElements(x);
  return DescribeMove(node, StridedMap({size}, {1}, 0, size));
}

}  // namespace mace::opencl
