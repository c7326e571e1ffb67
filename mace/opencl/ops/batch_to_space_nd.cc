// BatchToSpaceNd on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/batch_to_space_nd.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

// Moves the blocks to their places, before anything is cropped.
Move MoveBlocks(const Node& node, const std::vector<int64_t>& block) {
  const Shape& x = node.inputs[0].type.shape;
  const std::vector<int64_t> in_steps = DenseSteps(x);
  Move move;
  move.x = move.region = x;
  // The batch of x is [block1, block2, ..., batch of y].
  move.region[0] = node.outputs[0].shape[0];
  Shape extents = {move.region[0]};
  std::vector<int64_t> steps = {in_steps[0]};
  int64_t step = NumElements(x);
  for (size_t d = 1; d < x.size(); ++d) {
    extents.push_back(x[d]);
    steps.push_back(in_steps[d]);
    if (d > block.size()) continue;
    step /= block[d - 1];
    extents.push_back(block[d - 1]);
    steps.push_back(step);
    move.region[d] *= block[d - 1];
  }
  move.map = StridedMap(extents, steps, 0, NumElements(x));
  return move;
}

Result<KernelSpec> DescribeBatchToSpaceNd(const Node& node,
                                          const Target& target) {
  MACE_ASSIGN_OR_RETURN(const BatchToSpaceNdAttrs attrs,
                        ReadAttrs<BatchToSpaceNdAttrs>(node));
  const Shape& y = node.outputs[0].shape;
  Move blocks = MoveBlocks(node, attrs.block_shape);
  if (blocks.region == y) {
    return DescribeMove(node, std::move(blocks.map));
  }
  blocks.to_scratch = true;
  Move crop;
  crop.from_scratch = true;
  crop.x = blocks.region;
  crop.region = y;
  const std::vector<int64_t> steps = DenseSteps(crop.x);
  int64_t first = 0;
  for (size_t d = 0; d < attrs.block_shape.size(); ++d) {
    first += attrs.crops[2 * d] * steps[d + 1];
  }
  crop.map = StridedMap(y, steps, first, NumElements(crop.x));
  KernelSpec::Info info;
  info.scratch_images = {
      ImageExtent(ImageLayout::kChannelMajor, AsNhwc(crop.x))};
  MACE_RETURN_IF_ERROR(target.CheckExtent(info.scratch_images[0],
                                          Label(node) + ": what it crops"));
  Pass first_pass = MovePass(blocks);
  Pass second_pass = MovePass(crop);
  return KernelSpec{{first_pass, second_pass}, info};
}

}  // namespace

GpuKernelDef BatchToSpaceNd() { return {DescribeBatchToSpaceNd}; }

}  // namespace mace::opencl
