// Ops that only move elements. For each element of the output, a map finds the
// element of the input that it is.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_MOVE_H_
#define MACE_OPENCL_KERNELS_MOVE_H_

#include <vector>

#include "mace/opencl/launch/target.h"
#include "mace/ops/common/slice_spec.h"

namespace mace::opencl {

// A digit of a position. For element `at` of the dense output it is at /
// divisor % extent * step.
struct MoveDigit {
  int64_t divisor = 1, extent = 1, step = 1;
};

// The position along one axis of the input: `first` plus the sum of the digits.
struct MoveAxis {
  int64_t first = 0;
  int64_t extent = 1;
  int64_t stride = 1;  // between positions, in elements of the input
  std::vector<MoveDigit> digits;
};

// The values beyond the ends of the input's axes. Numbered as in move.cl.
enum class MoveMode { kConstant, kEdge, kSymmetric, kReflect };

struct MoveMap {
  std::vector<MoveAxis> axes;
  MoveMode mode = MoveMode::kConstant;
  float fill = 0;  // of kConstant
};

// Returns the map of an output of shape `extents`, whose axis d advances by
// `steps[d]` elements through the dense input, from element `first` on. The
// input has `size` elements.
//
//   transpose of [2,3]: extents {3,2}, steps {1,3}
MoveMap StridedMap(const Shape& extents, const std::vector<int64_t>& steps,
                   int64_t first, int64_t size);

// Returns the distance, in elements, between positions along each axis of a
// dense tensor.
std::vector<int64_t> DenseSteps(const Shape& shape);

// Returns the map of a slice of x.
MoveMap SliceMap(const Shape& x, const SliceSpec& spec);

// A move from x to a region of y.
struct Move {
  MoveMap map;
  Shape x, region;
  // x and y are an input and an output of the node, or scratch image 0. If
  // `constant` is not null, it is x.
  size_t input = 0, output = 0;
  ConstantPtr constant;
  bool from_scratch = false, to_scratch = false;
  // The region is [offset, offset + its extent) along `axis` of y. If `axis` is
  // the last one, the offset must be a multiple of 4, and the end as well
  // unless it is the end of y.
  Shape y;  // empty: the region is all of y
  int axis = 0;
  int64_t offset = 0;
};

Pass MovePass(const Move& move);

// Describes the kernel of a node that is a single move from input 0 to output
// 0.
KernelSpec DescribeMove(const Node& node, MoveMap map);

// Returns whether tensors of these shapes have the same image.
bool SameImage(const Shape& a, const Shape& b);

// Describes the kernel of a node that gives input 0 another shape.
Result<KernelSpec> DescribeReshape(const Node& node, const Target& target);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_MOVE_H_
