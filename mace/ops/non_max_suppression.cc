// NonMaxSuppression: the best boxes of each image, without those that overlap a
// better one.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   boxes   f32 [N,B,L,4]: (x1, y1, x2, y2); L is 1, or C where each
//                  class has boxes of its own. (y1, x1, y2, x2) do as well
//          scores  f32 [N,B,C]
// Outputs  rows    f32 [N,K,7]: (image, class, score, and the box), best first;
//                  K is keep_top_k, or what may be left at most. What is not
//                  needed is filled with fill_value
//          counts  i32 [N]: the boxes that are kept of each image
//          chosen  i64 [N*K,3]: (image, class, number of the box) of each row
//                  that is needed, those of all images one after the other;
//                  what is not needed is 0
//          total   i64 [1]: how many rows of `chosen` are needed
// Attrs    score_threshold, top_k: the boxes that a class considers;
//          iou_threshold, eta: what a kept box suppresses; max_per_class,
//          keep_top_k: how many are kept; background: a class without boxes;
//          classes_per_box: if not 0, boxes are chosen by their best scores,
//          and each fills so many rows: its best classes (K counts rows);
//          by_class: the rows of an image are sorted by class, then by score.
//          Of equal scores the box, then the class, with the lower number wins
// Errors   shapes that do not fit; a negative number; classes_per_box with
//          by_class, with L above 1, or above the number of classes
// Source   ONNX NonMaxSuppression-11; Liu et al. 2016, "SSD", section 2.2, and
//          the layer DetectionOutput of its release; TFLite's
//          TFLite_Detection_PostProcess
//
// A Slice that ends at `total` has just the rows that there are; a plan waits
// for it (docs/architecture.md).

#include "mace/ops/non_max_suppression.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status CheckNonMaxSuppressionNumbers(const Node& node,
                                     const NonMaxSuppressionAttrs& attrs) {
  if (attrs.top_k < 0 || attrs.max_per_class < 0 || attrs.keep_top_k < 0 ||
      attrs.classes_per_box < 0 || attrs.background < -1) {
    return NodeError(node, "top_k ", attrs.top_k, ", max_per_class ",
                     attrs.max_per_class, ", keep_top_k ", attrs.keep_top_k,
                     " and classes_per_box ", attrs.classes_per_box,
                     " must not be negative, nor background ", attrs.background,
                     " below -1");
  }
  if (!(attrs.iou_threshold >= 0) || !(attrs.eta > 0 && attrs.eta <= 1)) {
    return NodeError(node, "iou_threshold ", attrs.iou_threshold,
                     " must not be negative, and eta ", attrs.eta,
                     " must be above 0 and up to 1");
  }
  return Status();
}

Status CheckClasses(const Node& node, const NonMaxSuppressionAttrs& attrs) {
  const Shape& boxes = node.inputs[0].type.shape;
  const Shape& scores = node.inputs[1].type.shape;
  if (boxes[3] != 4 || boxes[0] != scores[0] || boxes[1] != scores[1] ||
      (boxes[2] != 1 && boxes[2] != scores[2])) {
    return NodeError(node, "boxes ", ToString(boxes), " and scores ",
                     ToString(scores),
                     " must be [N,B,1,4] or [N,B,C,4], and [N,B,C]");
  }
  if (attrs.classes_per_box == 0) return Status();
  NonMaxSuppressionAttrs each = attrs;
  each.classes_per_box = 0;
  if (boxes[2] != 1 || attrs.by_class ||
      attrs.classes_per_box > each.NumChoosing(scores[2])) {
    return NodeError(node, "classes_per_box ", attrs.classes_per_box,
                     " needs so many classes, boxes that all classes share, "
                     "and by_class 0; there are ",
                     scores[2], " classes, boxes ", ToString(boxes),
                     " and by_class ", attrs.by_class ? 1 : 0);
  }
  return Status();
}

Status InferNonMaxSuppression(Node& node) {
  MACE_ASSIGN_OR_RETURN(const NonMaxSuppressionAttrs attrs,
                        ReadAttrs<NonMaxSuppressionAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckNonMaxSuppressionNumbers(node, attrs));
  MACE_RETURN_IF_ERROR(CheckRank(node, 0, 4, "[N,B,L,4]"));
  MACE_RETURN_IF_ERROR(CheckRank(node, 1, 3, "[N,B,C]"));
  MACE_RETURN_IF_ERROR(CheckClasses(node, attrs));
  const Shape& scores = node.inputs[1].type.shape;
  int64_t rows = attrs.keep_top_k;
  if (rows == 0) {
    MACE_ASSIGN_OR_RETURN(
        rows, CheckedMul(node, attrs.MostOfClass(scores[1]),
                         attrs.NumChoosing(scores[2]), "number of rows"));
  }
  if (attrs.classes_per_box > 1) {
    MACE_ASSIGN_OR_RETURN(
        rows, CheckedMul(node, rows, attrs.classes_per_box, "number of rows"));
  }
  MACE_ASSIGN_OR_RETURN(
      const int64_t all,
      CheckedMul(node, scores[0], rows, "number of rows of all images"));
  const size_t num_outputs = node.outputs.size();
  node.outputs = {{DataType::kF32, {scores[0], rows, 7}},
                  {DataType::kI32, {scores[0]}},
                  {DataType::kI64, {all, 3}},
                  {DataType::kI64, {1}}};
  node.outputs.resize(num_outputs);
  return Status();
}

}  // namespace

Op NonMaxSuppression() {
  return Op{"NonMaxSuppression",
            2,
            2,
            4,
            InferNonMaxSuppression,
            AttrsOf<NonMaxSuppressionAttrs>}
      .ReadsMany()
      .Takes({Float32(), AsInput(0)});
}

}  // namespace mace::ops
