// What the CPU kernels read from a convolution's node.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_NODE_H_
#define MACE_CPU_CONV_CONV_NODE_H_

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

struct ConvNode {
  ConvShape shape;
  ActivationFunction activation;
};

// REQUIRES: the node's types are inferred. Errors: MACE_INVALID_MODEL.
Result<ConvNode> ReadConv2d(const Node& node);
Result<ConvNode> ReadDepthwiseConv2d(const Node& node);

// For a convolution by one matrix product for each group: there are not too
// many. Errors: MACE_UNSUPPORTED. ReadConv2d has checked it.
Status CheckGroupTables(const Node& node, const ConvShape& shape);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_NODE_H_
