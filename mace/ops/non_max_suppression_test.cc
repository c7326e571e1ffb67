// NonMaxSuppression: meaning and kernel. tools/ and test/golden compare it with
// OpenCV's DetectionOutput and LiteRT's TFLite_Detection_PostProcess.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Box = std::array<float, 4>;
using Row = std::array<float, 7>;

// Four boxes: the second overlaps the first by 0.8, the third by 0.6, the
// second and the third by 7 / 9; the last one is far from all.
const std::vector<float> kBoxes = {0, 0, 10, 1, 0,  0, 8,  1,
                                   0, 0, 6,  1, 20, 0, 30, 1};

OpCase OneClass(std::vector<float> scores) {
  return {"NonMaxSuppression",
          {{"iou_threshold", 0.7f}, {"fill_value", -1.f}},
          {F32({1, 4, 1, 4}, kBoxes), F32({1, 4, 1}, std::move(scores))},
          2};
}

TEST(NonMaxSuppression, ABoxThatIsSuppressedSuppressesNothing) {
  CheckOp(
      OneClass({0.9f, 0.8f, 0.7f, 0.6f}),
      {F32({1, 4, 7}, {0, 0, 0.9f, 0,  0, 10, 1, 0,  0,  0.7f, 0,  0,  6,  1,
                       0, 0, 0.6f, 20, 0, 30, 1, -1, -1, -1,   -1, -1, -1, -1}),
       I32({1}, {3})});
}

TEST(NonMaxSuppression, EqualScoresAndNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CheckOp(OneClass({0.5f, 0.5f, nan, 0.5f}),
          {F32({1, 4, 7},
               {0,  0,  0.5f, 0,  0,  10, 1,  0,  0,  0.5f, 20, 0,  30, 1,
                -1, -1, -1,   -1, -1, -1, -1, -1, -1, -1,   -1, -1, -1, -1}),
           I32({1}, {2})});
}

// After the first kept box 0.7 becomes 0.56, so that the third box, whose
// overlap with the first is 0.6, is suppressed.
TEST(NonMaxSuppression, Eta) {
  OpCase c = OneClass({0.9f, 0.8f, 0.7f, 0.1f});
  c.attrs["eta"] = 0.8f;
  c.attrs["keep_top_k"] = int64_t{2};
  CheckOp(c,
          {F32({1, 2, 7}, {0, 0, 0.9f, 0, 0, 10, 1, 0, 0, 0.1f, 20, 0, 30, 1}),
           I32({1}, {2})});
}

TEST(NonMaxSuppression, ClassesOfABox) {
  OpCase c{"NonMaxSuppression",
           {{"iou_threshold", 0.7f},
            {"score_threshold", 0.3f},
            {"keep_top_k", int64_t{2}},
            {"background", int64_t{0}},
            {"classes_per_box", int64_t{2}}},
           {F32({1, 4, 1, 4}, kBoxes),
            F32({1, 4, 4}, {0.9f, 0.1f, 0.2f, 0.4f, 0.9f, 0.1f, 0.1f, 0.1f, 0,
                            0, 0, 0.3f, 0, 0.5f, 0.5f, 0})},
           2};
  CheckOp(c,
          {F32({1, 4, 7}, {0, 1, 0.5f, 20, 0, 30, 1, 0, 2, 0.5f, 20, 0, 30, 1,
                           0, 3, 0.4f, 0,  0, 10, 1, 0, 2, 0.2f, 0,  0, 10, 1}),
           I32({1}, {2})});
}

// Those of the second image follow those of the first one, without a gap.
TEST(NonMaxSuppression, NumbersOfTheChosenBoxes) {
  OpCase c{"NonMaxSuppression",
           {{"iou_threshold", 0.7f}, {"by_class", true}},
           {F32({2, 2, 1, 4}, {0, 0, 10, 1, 0, 0, 8, 1,  // overlap by 0.8
                               0, 0, 10, 1, 0, 0, 6, 1}),
            F32({2, 2, 1}, {0.1f, 0.2f, 0.3f, 0.4f})},
           4};
  CheckOp(c,
          {F32({2, 2, 7}, {0, 0, 0.2f, 0, 0, 8, 1, 0, 0, 0,    0, 0, 0,  0,
                           1, 0, 0.4f, 0, 0, 6, 1, 1, 0, 0.3f, 0, 0, 10, 1}),
           I32({2}, {1, 2}), I64({4, 3}, {0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0}),
           I64({1}, {3})});
}

TEST(NonMaxSuppression, NothingToChooseFrom) {
  OpCase c = OneClass({0.9f, 0.8f, 0.7f, 0.6f});
  c.attrs["score_threshold"] = 0.9f;
  c.attrs["keep_top_k"] = int64_t{1};
  CheckOp(c, {F32({1, 1, 7}, std::vector<float>(7, -1)), I32({1}, {0})});
  c.attrs.erase("keep_top_k");
  c.inputs = {F32({1, 0, 1, 4}, {}), F32({1, 0, 3}, {})};
  CheckOp(c, {F32({1, 0, 7}, {}), I32({1}, {0})});
}

struct Settings {
  float score, iou;
  int64_t top_k, per_class, keep, background;
  bool by_class, own_boxes;
};

float Overlap(const Box& a, const Box& b) {
  const float w = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const float h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (w <= 0 || h <= 0) return 0;
  return w * h /
         ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) -
          w * h);
}

// The definition, without thought of speed: a box is kept if no kept box of its
// class with a better score overlaps it too far.
std::vector<float> ByDefinition(const std::vector<float>& corners,
                                const std::vector<float>& scores, int64_t n,
                                int64_t boxes, int64_t classes, int64_t rows,
                                const Settings& s) {
  std::vector<float> out;
  for (int64_t image = 0; image < n; ++image) {
    // The negated score, then the box, then the class.
    std::vector<std::tuple<float, int64_t, int64_t>> kept;
    const auto box_of = [&](int64_t i, int64_t c) {
      const int64_t lists = s.own_boxes ? classes : 1;
      const float* at =
          &corners[((image * boxes + i) * lists + (s.own_boxes ? c : 0)) * 4];
      return Box{at[0], at[1], at[2], at[3]};
    };
    for (int64_t c = 0; c < classes; ++c) {
      std::vector<std::pair<float, int64_t>> order;
      for (int64_t i = 0; i < boxes && c != s.background; ++i) {
        const float score = scores[(image * boxes + i) * classes + c];
        if (score > s.score) order.emplace_back(-score, i);
      }
      std::sort(order.begin(), order.end());
      if (s.top_k > 0 && static_cast<int64_t>(order.size()) > s.top_k) {
        order.resize(s.top_k);
      }
      std::vector<int64_t> own;
      for (const auto& [score, i] : order) {
        bool free =
            s.per_class == 0 || static_cast<int64_t>(own.size()) < s.per_class;
        for (int64_t k : own) {
          free = free && !(Overlap(box_of(i, c), box_of(k, c)) > s.iou);
        }
        if (!free) continue;
        own.push_back(i);
        kept.emplace_back(score, i, c);
      }
    }
    std::sort(kept.begin(), kept.end());
    if (static_cast<int64_t>(kept.size()) > rows) kept.resize(rows);
    if (s.by_class) {
      std::stable_sort(kept.begin(), kept.end(), [](auto& a, auto& b) {
        return std::get<2>(a) < std::get<2>(b);
      });
    }
    for (const auto& [score, i, c] : kept) {
      const Box b = box_of(i, c);
      const Row row = {static_cast<float>(image),
                       static_cast<float>(c),
                       -score,
                       b[0],
                       b[1],
                       b[2],
                       b[3]};
      out.insert(out.end(), row.begin(), row.end());
    }
    out.resize((image + 1) * rows * 7, 0.0f);
  }
  return out;
}

TEST(NonMaxSuppression, ByDefinition) {
  const Settings all[] = {
      {0.1f, 0.45f, 0, 0, 0, -1, false, false},
      {0.3f, 0.45f, 7, 0, 9, 0, true, false},
      {-1, 0.2f, 0, 3, 8, 2, false, true},
      {0.5f, 0, 5, 2, 40, -1, true, true},
      {0.2f, 0.6f, 20, 0, 1, 3, false, false},
  };
  const int64_t n = 2, boxes = 30, classes = 4;
  uint32_t seed = 1;
  for (const Settings& s : all) {
    const int64_t lists = s.own_boxes ? classes : 1;
    const TestTensor corners = RandomF32({n, boxes, lists, 4}, seed++, 0, 1);
    const TestTensor scores = RandomF32({n, boxes, classes}, seed++, 0, 1);
    std::vector<float> places(corners.f32(),
                              corners.f32() + n * boxes * lists * 4);
    for (size_t i = 0; i < places.size(); i += 4) {
      places[i + 2] = places[i] + 0.5f * places[i + 2];
      places[i + 3] = places[i + 1] + 0.5f * places[i + 3];
    }
    const std::vector<float> points(scores.f32(),
                                    scores.f32() + n * boxes * classes);
    const int64_t choosing = s.background >= 0 ? classes - 1 : classes;
    int64_t most = s.top_k > 0 ? s.top_k : boxes;
    most = s.per_class > 0 ? std::min(most, s.per_class) : most;
    const int64_t rows = s.keep > 0 ? s.keep : most * choosing;
    CheckOp({"NonMaxSuppression",
             {{"score_threshold", s.score},
              {"iou_threshold", s.iou},
              {"top_k", s.top_k},
              {"max_per_class", s.per_class},
              {"keep_top_k", s.keep},
              {"background", s.background},
              {"by_class", s.by_class}},
             {F32({n, boxes, lists, 4}, places), scores}},
            {F32({n, rows, 7},
                 ByDefinition(places, points, n, boxes, classes, rows, s))});
  }
}

TEST(NonMaxSuppression, Errors) {
  OpCase c = OneClass({1, 1, 1, 1});
  c.attrs["keep_top_k"] = int64_t{-1};
  ExpectInferError(c, "keep_top_k -1");
  c.attrs["keep_top_k"] = int64_t{1} << 62;
  c.attrs["classes_per_box"] = int64_t{2};
  ExpectInferError(c, "classes_per_box 2 needs so many classes");
  c = OneClass({1, 1, 1, 1});
  c.attrs["eta"] = 0.0f;
  ExpectInferError(c, "eta 0");
  c.attrs["eta"] = 1.0f;
  c.attrs["iou_threshold"] = std::numeric_limits<float>::quiet_NaN();
  ExpectInferError(c, "iou_threshold");
  c = OneClass({1, 1, 1, 1});
  c.inputs[1] = F32({1, 2, 2}, {1, 1, 1, 1});
  ExpectInferError(c, "boxes [1,4,1,4] and scores [1,2,2] must be");
  c.inputs = {F32({1, 1, 2, 4}, std::vector<float>(8)), F32({1, 1, 2}, {1, 1})};
  c.attrs["classes_per_box"] = int64_t{1};
  ExpectInferError(c, "boxes that all classes share");
  c.inputs[0] = F32({1, 1, 1, 4}, std::vector<float>(4));
  c.attrs["by_class"] = true;
  ExpectInferError(c, "by_class 0");
  c.attrs["by_class"] = false;
  c.attrs["keep_top_k"] = int64_t{1} << 62;
  c.attrs["classes_per_box"] = int64_t{2};
  ExpectInferError(c, "number of rows");
}

}  // namespace
}  // namespace mace::testing
