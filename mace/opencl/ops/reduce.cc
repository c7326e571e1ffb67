// Reduce on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reduce.h"

#include <optional>
#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"
#include "mace/opencl/kernels/reduction.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeReduce(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const ReduceAttrs attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  const Shape& y = node.outputs[0].shape;
  MACE_ASSIGN_OR_RETURN(const Reduction reduction,
                        ReductionOf(node, node.inputs[0].type.shape, axes));
  const Shape kept(reduction.out.begin(), reduction.out.end());
  Reducer reducer(node, reduction, target);
  // Reduces into the output, unless removing the reduced axes moves the others
  // to other pixels of the image.
  std::optional<size_t> to;
  const bool moves = !SameImage(kept, y);
  if (moves) {
    MACE_ASSIGN_OR_RETURN(to, reducer.AddImage());
  }
  size_t largest = 0;
  if (attrs.reduce_type == "LOG_SUM_EXP") {
    MACE_ASSIGN_OR_RETURN(largest, reducer.AddImage());
    MACE_RETURN_IF_ERROR(reducer.Add("MAX", largest));
  }
  MACE_RETURN_IF_ERROR(reducer.Add(attrs.reduce_type, to, largest));
  if (moves) {
    Move move;
    move.from_scratch = true;
    move.x = kept;
    move.region = y;
    const int64_t size = NumElements(y);
    move.map = StridedMap({size}, {1}, 0, size);
    Pass pass = MovePass(move);
    reducer.passes.push_back(std::move(pass));
  }
  KernelSpec::Info info;
  info.scratch_images = reducer.images;
  return KernelSpec{std::move(reducer.passes), info};
}

}  // namespace

GpuKernelDef Reduce() { return {DescribeReduce}; }

}  // namespace mace::opencl
