// RoiAlign: the mean or the largest of samples in each bin of a region.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      f32 [N,H,W,C]
//          rois   f32 [n,4]: (x1, y1, x2, y2) in pixels of the image
//          image  i32 or i64 [n]: the image of x in which each region is
// Outputs  y      f32 [n,output_height,output_width,C]
// Attrs    output_height, output_width (1): bins
//          sampling_ratio  samples along each side of a bin; 0 (default): as
//                          many as a bin has pixels, up to 256
//          spatial_scale   pixels of x per pixel of the image
//          mode        AVG (default), the mean of bilinear samples; MAX, the
//                      largest of the products that they add up
//          half_pixel  1 (default): a pixel's centre is at half of it; 0: at
//                      its corner, and regions have at least one pixel
// Errors   shapes that do not fit; an attribute out of range. An image out of
//          range, or a region that is no number, is an error when the model
//          runs
// Source   He et al. 2017, "Mask R-CNN", section 3; ONNX RoiAlign-16

#include "mace/ops/roi_align.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

constexpr int64_t kMaxSamples = 256;

Status InferRoiAlign(Node& node) {
  MACE_ASSIGN_OR_RETURN(const RoiAlignAttrs attrs,
                        ReadAttrs<RoiAlignAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,H,W,C]"));
  MACE_RETURN_IF_ERROR(CheckRank(node, 1, 2, "[n,4]"));
  const TensorType& x = node.inputs[0].type;
  const TensorType& rois = node.inputs[1].type;
  if (rois.shape[1] != 4) return CheckRank(node, 1, -1, "[n,4]");
  MACE_RETURN_IF_ERROR(CheckVector(node, 2, rois.shape[0], "image"));
  if (attrs.output_height < 1 || attrs.output_width < 1 ||
      attrs.sampling_ratio < 0 || attrs.sampling_ratio > kMaxSamples ||
      !(attrs.spatial_scale > 0)) {
    return NodeError(
        node, "bins ", attrs.output_height, " x ", attrs.output_width,
        ", sampling_ratio ", attrs.sampling_ratio, " and spatial_scale ",
        std::to_string(attrs.spatial_scale),
        ": bins and scale must be positive, the ratio from 0 to ", kMaxSamples);
  }
  if (x.shape[1] == 0 || x.shape[2] == 0) {
    return NodeError(node, "x ", ToString(x), " has no pixels");
  }
  MACE_ASSIGN_OR_RETURN(
      int64_t pixels, CheckedMul(node, attrs.output_height, attrs.output_width,
                                 "bins of a region"));
  MACE_ASSIGN_OR_RETURN(
      pixels, CheckedMul(node, pixels, rois.shape[0], "bins of all regions"));
  MACE_RETURN_IF_ERROR(
      CheckedMul(node, pixels, x.shape[3], "elements of the result").status());
  node.outputs = {
      {DataType::kF32,
       {rois.shape[0], attrs.output_height, attrs.output_width, x.shape[3]}}};
  return Status();
}

}  // namespace

Op RoiAlign() {
  return Op{"RoiAlign", 3, 3, 1, InferRoiAlign, AttrsOf<RoiAlignAttrs>}
      .Choices("mode", Texts{"AVG MAX"})
      .Takes({Float32(), AsInput(0), Indices()})
      .ReadsMany();
}

}  // namespace mace::ops
