// Attributes of NonMaxSuppression.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_NON_MAX_SUPPRESSION_H_
#define MACE_OPS_NON_MAX_SUPPRESSION_H_

#include <cstdint>
#include <limits>

namespace mace {

// Each class takes its top_k best boxes with scores above score_threshold, and
// goes through them, best first. A box is kept unless its overlap (intersection
// over union) with a box that the class has kept is above iou_threshold. The
// keep_top_k best boxes of all classes are the result.
struct NonMaxSuppressionAttrs {
  // A class considers a box only if the score of the box for the class is above
  // it; with classes_per_box, a box is considered only if its best score is.
  float score_threshold = std::numeric_limits<float>::lowest();
  float iou_threshold = 0.5f;  // overlap above which a box is suppressed
  float eta = 1;  // factor of an iou_threshold above 0.5, after each kept box
  int64_t top_k = 0;          // best boxes of a class to consider; 0: all
  int64_t max_per_class = 0;  // boxes that are kept of a class; 0: all
  int64_t keep_top_k = 0;     // boxes that are kept of an image; 0: all
  int64_t background = -1;    // a class that has no boxes; -1: none
  // If not 0: each box is chosen by its best score, and has a row for each of
  // its classes_per_box best classes, also for those whose scores are not above
  // score_threshold.
  int64_t classes_per_box = 0;
  bool by_class = false;  // sorts by class, not by score alone
  // Fills the rows of the output `rows` that are not needed.
  float fill_value = 0;

  template <typename V>
  void Fields(V& v) {
    v("score_threshold", score_threshold);
    v("iou_threshold", iou_threshold);
    v("eta", eta);
    v("top_k", top_k);
    v("max_per_class", max_per_class);
    v("keep_top_k", keep_top_k);
    v("background", background);
    v("classes_per_box", classes_per_box);
    v("by_class", by_class);
    v("fill_value", fill_value);
  }

  // Returns how many of `boxes` boxes one class may keep at most.
  int64_t MostOfClass(int64_t boxes) const {
    if (top_k > 0 && top_k < boxes) boxes = top_k;
    return max_per_class > 0 && max_per_class < boxes ? max_per_class : boxes;
  }

  // Returns how many of `classes` classes choose boxes: 1 if boxes are chosen
  // by their best scores, else all but the background.
  int64_t NumChoosing(int64_t classes) const {
    if (classes_per_box > 0) return 1;
    return background >= 0 && background < classes ? classes - 1 : classes;
  }
};

}  // namespace mace

#endif  // MACE_OPS_NON_MAX_SUPPRESSION_H_
