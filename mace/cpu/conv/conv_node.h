// Reads the shape and activation of a convolution from its node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_NODE_H_
#define MACE_CPU_CONV_CONV_NODE_H_

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

struct ConvNode {
  // An image [H, 1] under a filter [kh, 1] is read as [1, H] under [1, kh]: the
  // elements lie alike, and kernels are fast along lines.
  ConvShape shape;
  ActivationFunction activation;
};

// REQUIRES: the node's types are inferred. Errors: MACE_INVALID_MODEL;
// MACE_UNSUPPORTED if the kernel's tables would be too large.
Result<ConvNode> ReadConv2d(const Node& node);
Result<ConvNode> ReadDepthwiseConv2d(const Node& node);

// Returns whether the lines that `before` writes are those that `after` reads.
// They differ if only one of the two sees an image [H, 1] as [1, H].
bool HasSameLines(const ConvShape& before, const ConvShape& after);

// Checks that a convolution with a matrix product for each group does not have
// too many groups and taps. ReadConv2d calls it. Errors: MACE_UNSUPPORTED.
Status CheckGroupTables(const Node& node, const ConvShape& shape);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_NODE_H_
