// Reads the shape and activation of a convolution from its node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_NODE_H_
#define MACE_CPU_CONV_CONV_NODE_H_

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

struct ConvNode {
  ConvShape shape;
  ActivationFunction activation;
};

// REQUIRES: the node's types are inferred. Errors: MACE_INVALID_MODEL;
// MACE_UNSUPPORTED if the kernel's tables would be too large.
Result<ConvNode> ReadConv2d(const Node& node);
Result<ConvNode> ReadDepthwiseConv2d(const Node& node);

// Checks that a convolution with a matrix product for each group does not have
// too many groups and taps. ReadConv2d calls it. Errors: MACE_UNSUPPORTED.
Status CheckGroupTables(const Node& node, const ConvShape& shape);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_NODE_H_
