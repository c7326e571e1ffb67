// ChannelShuffle: the channels [group, C / group] transposed.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      any type, [..., C]
// Outputs  y      as x; channel k*group + g is channel g*(C/group) + k of x
// Attrs    group  default 1
// Errors   a group that does not divide the channels
// Source   Zhang et al. 2017, "ShuffleNet", section 3.1

#include "mace/ops/channel_shuffle.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferChannelShuffle(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ChannelShuffleAttrs attrs,
                        ReadAttrs<ChannelShuffleAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_RETURN_IF_ERROR(ResolveAxis(node, -1, x.rank()).status());
  if (attrs.group < 1 || x.shape.back() % attrs.group != 0) {
    return NodeError(node, "group ", attrs.group,
                     " must divide the channels of x ", ToString(x));
  }
  node.outputs = {x};
  return Status();
}

}  // namespace

Op ChannelShuffle() {
  return Op{"ChannelShuffle",
            1,
            1,
            1,
            InferChannelShuffle,
            AttrsOf<ChannelShuffleAttrs>}
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
