// ChannelShuffle on the CPU: one strided copy.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/channel_shuffle.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareChannelShuffle(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ChannelShuffleAttrs attrs,
                        ReadAttrs<ChannelShuffleAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  const int64_t channels = x.shape.back();
  const int64_t rows = channels == 0 ? 0 : NumElements(x.shape) / channels;
  const int64_t each = channels / attrs.group;
  const mace::Shape y = {rows, each, attrs.group};
  return MakeCopyKernel(context,
                        {MakeBox(SizeOf(x.dtype), y, {channels, 1, each}, 0,
                                 DenseStrides(y), 0)});
}

}  // namespace

CpuKernelDefs ChannelShuffle() {
  return ForAllTypesAndFp16(PrepareChannelShuffle);
}

}  // namespace mace::cpu
