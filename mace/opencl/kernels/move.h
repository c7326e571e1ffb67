// Ops that only move elements, as one mechanism: for each element of the output
// a map gives which element of the input it is.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_MOVE_H_
#define MACE_OPENCL_KERNELS_MOVE_H_

#include <vector>

#include "mace/opencl/launch/target.h"
#include "mace/ops/common/slice_spec.h"

namespace mace::opencl {

// What element `at` of the output, counted densely, adds to a position:
// at / divisor % extent * step.
struct MoveDigit {
  int64_t divisor = 1, extent = 1, step = 1;
};

// A position along an axis of the input: the sum of the digits and `first`.
struct MoveAxis {
  int64_t first = 0;
  int64_t extent = 1;
  int64_t stride = 1;  // elements of the input from position to position
  std::vector<MoveDigit> digits;
};

// What there is beyond the ends of the input's axes; the numbers of move.cl.
enum class MoveMode { kConstant, kEdge, kSymmetric, kReflect };

struct MoveMap {
  std::vector<MoveAxis> axes;
  MoveMode mode = MoveMode::kConstant;
  float fill = 0;  // of kConstant
};

// The output, viewed as a dense tensor of `extents`, steps through the input,
// of `size` elements, by `steps` from element `first` on.
//
//   transpose of [2,3]: extents {3,2}, steps {1,3}
MoveMap StridedMap(const Shape& extents, const std::vector<int64_t>& steps,
                   int64_t first, int64_t size);

// Elements from position to position of each axis of a dense tensor.
std::vector<int64_t> DenseSteps(const Shape& shape);

// The selection that a slice makes of x.
MoveMap SliceMap(const Shape& x, const SliceSpec& spec);

// A pass from x to a region of y.
struct Move {
  MoveMap map;
  Shape x, region;
  // Where they lie: inputs and outputs of the node, or scratch image 0; or x
  // is a constant.
  size_t input = 0, output = 0;
  ConstantPtr constant;
  bool from_scratch = false, to_scratch = false;
  // The region is [offset, offset + its extent) of `axis` of y. On the last
  // axis the offset must begin a block and the region end one, or y.
  Shape y;  // empty: as the region
  int axis = 0;
  int64_t offset = 0;
};

Pass MovePass(const Move& move);

// The kernel of a node that is a single move from input 0 to output 0.
KernelSpec DescribeMove(const Node& node, MoveMap map);

// Whether a tensor of one shape has the image of the other.
bool SameImage(const Shape& a, const Shape& b);

// The kernel of a node that gives input 0 another shape.
Result<KernelSpec> DescribeReshape(const Node& node, const Target& target);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_MOVE_H_
