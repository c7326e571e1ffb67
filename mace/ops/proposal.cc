// Proposal: regions of an image that may hold an object, from the scores and
// the corrections of anchors at every position.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   scores   f32 [1,H,W,2*A]: background, then object, for A anchors
//          deltas   f32 [1,H,W,4*A]: (dx, dy, dw, dh) of each anchor
//          im_info  f32, 3 elements: height, width and scale of the image
// Outputs  rois     f32 [post_nms_top_n,5]: (0, x1, y1, x2, y2), best first;
//                   zeros where fewer boxes are left
// Attrs    feat_stride, base_size, scales, ratios: the anchors, A = number of
//          scales times ratios; min_size, nms_thresh, pre_nms_top_n,
//          post_nms_top_n: the selection
// Errors   shapes that do not fit the anchors; an attribute below 1
// Source   Ren et al. 2015, "Faster R-CNN", section 3

#include "mace/ops/proposal.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status CheckProposalAttrs(const Node& node, const ProposalAttrs& attrs) {
  bool positive = attrs.feat_stride > 0 && attrs.base_size > 0 &&
                  attrs.pre_nms_top_n > 0 && attrs.post_nms_top_n > 0 &&
                  attrs.min_size >= 0 && !attrs.scales.empty() &&
                  !attrs.ratios.empty();
  for (int64_t scale : attrs.scales) positive = positive && scale > 0;
  for (float ratio : attrs.ratios) positive = positive && ratio > 0;
  if (positive) return Status();
  return NodeError(node, "feat_stride ", attrs.feat_stride, ", base_size ",
                   attrs.base_size, ", pre_nms_top_n ", attrs.pre_nms_top_n,
                   ", post_nms_top_n ", attrs.post_nms_top_n, ", scales ",
                   ListToString(attrs.scales), " and ", attrs.ratios.size(),
                   " ratios must all be given and positive");
}

Status InferProposal(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ProposalAttrs attrs,
                        ReadAttrs<ProposalAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckProposalAttrs(node, attrs));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[1,H,W,2*A]"));
  const int64_t num_anchors =
      static_cast<int64_t>(attrs.scales.size() * attrs.ratios.size());
  Shape want = node.inputs[0].type.shape;
  want[0] = 1;
  for (size_t i = 0; i < 2; ++i) {
    want[3] = (i == 0 ? 2 : 4) * num_anchors;
    if (node.inputs[i].type.shape == want) continue;
    return NodeError(node, "input ", i, " is ", ToString(node.inputs[i].type),
                     ", with ", num_anchors, " anchors it must be ",
                     ToString(want));
  }
  if (NumElements(node.inputs[2].type.shape) != 3) {
    return NodeError(node, "im_info is ", ToString(node.inputs[2].type),
                     ", it must hold height, width and scale");
  }
  node.outputs = {{DataType::kF32, {attrs.post_nms_top_n, 5}}};
  return Status();
}

}  // namespace

Op Proposal() {
  return Op{"Proposal", 3, 3, 1, InferProposal, AttrsOf<ProposalAttrs>}
      .ReadsMany()
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
