// ChannelShuffle on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/channel_shuffle.h"

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"

namespace mace::opencl {
namespace {

Result<KernelSpec> DescribeChannelShuffle(const Node& node,
                                          const Target& /*target*/) {
  MACE_ASSIGN_OR_RETURN(const ChannelShuffleAttrs attrs,
                        ReadAttrs<ChannelShuffleAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const int64_t channels = x.back(), each = channels / attrs.group;
  const int64_t size = NumElements(x);
  return DescribeMove(node, StridedMap({size / channels, each, attrs.group},
                                       {channels, 1, each}, 0, size));
}

}  // namespace

GpuKernelDef ChannelShuffle() { return {DescribeChannelShuffle}; }

}  // namespace mace::opencl
