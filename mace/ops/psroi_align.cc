// PsroiAlign: averages each bin of a region from channels of its own.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     f32 [N,H,W,D*G*G]
//          rois  f32 [n,5]: (batch, x1, y1, x2, y2) in pixels of the image
// Outputs  y     f32 [n,G,G,D]. Region [x1 s, (x2 + 1) s) x [y1 s, (y2 + 1) s),
//                at least 0.1 wide and high, is divided into G x G bins, each
//                clipped to x. Bin (p, q) adds bilinear samples of channel
//                (d G + p) G + q, spaced by 1 from its corner on, and divides
//                by its area; an empty bin is 0
// Attrs    spatial_scale s, output_dim D, group_size G
//          whole_pixels  1: regions have rounded corners (half away from 0),
//                        and bins are the means of the pixels they touch
// Errors   channels other than D*G*G. A batch out of range is an error when
//          the model runs
// Source   Dai et al. 2016, "R-FCN", section 2; He et al. 2017, section 3

#include "mace/ops/psroi_align.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferPsroiAlign(Node& node) {
  MACE_ASSIGN_OR_RETURN(const PsroiAlignAttrs attrs,
                        ReadAttrs<PsroiAlignAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,H,W,C]"));
  MACE_RETURN_IF_ERROR(CheckRank(node, 1, 2, "[n,5]"));
  const TensorType& x = node.inputs[0].type;
  const TensorType& rois = node.inputs[1].type;
  const int64_t g = attrs.group_size, dim = attrs.output_dim;
  if (rois.shape[1] != 5) return CheckRank(node, 1, -1, "[n,5]");
  // Divides step by step, so that no product can overflow.
  if (g < 1 || dim < 1 || x.shape[3] % dim != 0 || x.shape[3] / dim % g != 0 ||
      x.shape[3] / dim / g != g) {
    return NodeError(node, "x ", ToString(x), " must have output_dim ", dim,
                     " x group_size ", g, " squared channels");
  }
  if (!(attrs.spatial_scale > 0)) {
    return NodeError(node, "spatial_scale ",
                     std::to_string(attrs.spatial_scale), " must be positive");
  }
  node.outputs = {{DataType::kF32, {rois.shape[0], g, g, dim}}};
  return Status();
}

}  // namespace

Op PsroiAlign() {
  return Op{"PsroiAlign", 2, 2, 1, InferPsroiAlign, AttrsOf<PsroiAlignAttrs>}
      .ReadsMany()
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
