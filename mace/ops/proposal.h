// Attributes of Proposal.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_PROPOSAL_H_
#define MACE_OPS_PROPOSAL_H_

#include <cstdint>
#include <vector>

namespace mace {

// A position (h, w) of the scores has an anchor for each ratio and scale: a box
// of the ratio and about the area base_size^2, its sides times the scale, at
// the centre of the basic anchor, which is shifted by (h, w) * feat_stride.
// Deltas move and scale the anchors to boxes, which are clipped to the image.
// Boxes that are smaller than min_size, times the image's scale, are dropped;
// the best pre_nms_top_n go through suppression; the best post_nms_top_n that
// it leaves are the result.
struct ProposalAttrs {
  int64_t feat_stride = 0;       // pixels of the image per pixel of x
  int64_t base_size = 12;        // extent of the basic anchor
  std::vector<int64_t> scales;   // of the anchors
  std::vector<float> ratios;     // of the anchors, height to width
  int64_t min_size = 16;         // of a box, in pixels before scaling
  float nms_thresh = 0.7f;       // overlap above which a box is suppressed
  int64_t pre_nms_top_n = 6000;  // boxes that suppression considers
  int64_t post_nms_top_n = 300;  // rows of rois

  template <typename V>
  void Fields(V& v) {
    v("feat_stride", feat_stride);
    v("base_size", base_size);
    v("scales", scales);
    v("ratios", ratios);
    v("min_size", min_size);
    v("nms_thresh", nms_thresh);
    v("pre_nms_top_n", pre_nms_top_n);
    v("post_nms_top_n", post_nms_top_n);
  }
};

}  // namespace mace

#endif  // MACE_OPS_PROPOSAL_H_
