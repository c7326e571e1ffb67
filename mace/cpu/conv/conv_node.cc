// Shapes and activations of convolutions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_node.h"

#include "mace/cpu/common/table_size.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/graph/attrs.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/depthwise_conv2d.h"

namespace mace::cpu {
namespace {

// Returns whether an image and its filter are one element wide, and the filter
// is higher than that.
bool IsOneWide(const Window2D& window) {
  const Window& w = window.w;
  return w.in == 1 && w.out == 1 && w.kernel == 1 && w.pad_before == 0 &&
         window.h.kernel > 1;
}

template <typename Attrs>
Result<ConvNode> Read(const Node& node, const Attrs& attrs,
                      const Window2D& window, int64_t group) {
  ConvNode conv;
  MACE_ASSIGN_OR_RETURN(conv.activation, ResolveActivation(node, attrs));
  conv.shape.window = IsOneWide(window) ? Window2D{window.w, window.h} : window;
  conv.shape.batch = node.inputs[0].type.shape[0];
  conv.shape.in_channels = node.inputs[0].type.shape[3];
  conv.shape.out_channels = node.outputs[0].shape[3];
  conv.shape.group = group;
  // Kernels keep a pixel of zeros for those outside the image.
  MACE_RETURN_IF_ERROR(
      CheckTable(node, "channels", {conv.shape.in_channels}, sizeof(float)));
  return conv;
}

}  // namespace

bool HasSameLines(const ConvShape& before, const ConvShape& after) {
  return before.window.h.out == after.window.h.in &&
         before.window.w.out == after.window.w.in;
}

Status CheckGroupTables(const Node& node, const ConvShape& s) {
  MACE_RETURN_IF_ERROR(CheckTable(node, "groups", {s.group}, sizeof(GemmB)));
  return CheckTable(node, "taps of all groups", {s.group, s.taps()},
                    sizeof(int64_t));
}

Result<ConvNode> ReadConv2d(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window, Conv2dWindow(node, attrs));
  MACE_ASSIGN_OR_RETURN(const ConvNode conv,
                        Read(node, attrs, window, attrs.group));
  MACE_RETURN_IF_ERROR(CheckGroupTables(node, conv.shape));
  return conv;
}

Result<ConvNode> ReadDepthwiseConv2d(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Window2D window,
                        DepthwiseConv2dWindow(node, attrs));
  return Read(node, attrs, window, node.inputs[0].type.shape[3]);
}

}  // namespace mace::cpu
