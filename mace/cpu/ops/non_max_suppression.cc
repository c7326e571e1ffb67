// NonMaxSuppression on the CPU: each class sorts its boxes by score and keeps
// those that overlap no better one; the best of all classes are left.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/non_max_suppression.h"

#include <algorithm>

#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

struct NonMaxSuppressionCandidate {
  float score;
  int32_t box, label;
};

// The better one comes first; no two candidates are equal, so that every way to
// sort gives the same order.
bool Better(const NonMaxSuppressionCandidate& a,
            const NonMaxSuppressionCandidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.box != b.box ? a.box < b.box : a.label < b.label;
}

bool BetterInClass(const NonMaxSuppressionCandidate& a,
                   const NonMaxSuppressionCandidate& b) {
  return a.label != b.label ? a.label < b.label : Better(a, b);
}

float Area(const float* box) { return (box[2] - box[0]) * (box[3] - box[1]); }

// Returns the intersection over union, 0 if there is no intersection.
float BoxOverlap(const float* a, const float* b) {
  const float w = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const float h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (!(w > 0 && h > 0)) return 0;
  return w * h / (Area(a) + Area(b) - w * h);
}

// The numbers of the boxes that are written, if anybody asks for them.
struct Chosen {
  int64_t* begin = nullptr;
  int64_t* end = nullptr;

  void Add(int64_t image, const NonMaxSuppressionCandidate& one) {
    if (end == nullptr) return;
    *end++ = image;
    *end++ = one.label;
    *end++ = one.box;
  }
};

struct NonMaxSuppressionF32 final : Kernel {
  NonMaxSuppressionAttrs attrs;
  int64_t images = 0, boxes = 0, classes = 0, lists = 0, rows = 0;

  // Boxes that are kept of an image.
  int64_t most_kept() const {
    const int64_t most = SaturatedProduct(
        {attrs.MostOfClass(boxes), attrs.NumChoosing(classes)});
    return attrs.keep_top_k > 0 ? std::min(most, attrs.keep_top_k) : most;
  }
  // What is kept so far, and behind it what one more class keeps; then the
  // candidates of a class, or the classes of a box.
  int64_t scratch_bytes() const override {
    return (most_kept() + attrs.MostOfClass(boxes) + std::max(boxes, classes)) *
           static_cast<int64_t>(sizeof(NonMaxSuppressionCandidate));
  }

  Status Run(const RunArgs& args) override {
    NonMaxSuppressionCandidate* kept =
        args.scratch.as<NonMaxSuppressionCandidate>();
    NonMaxSuppressionCandidate* list =
        kept + most_kept() + attrs.MostOfClass(boxes);
    float* out = args.outputs[0].as<float>();
    std::fill_n(out, images * rows * 7, attrs.fill_value);
    Chosen chosen;
    if (args.outputs.size() > 2) {
      chosen.begin = chosen.end = args.outputs[2].as<int64_t>();
      std::fill_n(chosen.begin, images * rows * 3, 0);
    }
    for (int64_t n = 0; n < images; ++n) {
      const float* corners =
          args.inputs[0].as<const float>() + n * boxes * lists * 4;
      const float* scores =
          args.inputs[1].as<const float>() + n * boxes * classes;
      const int64_t count = Keep(corners, scores, kept, list);
      Write(n, kept, count, corners, scores, list, out + n * rows * 7, chosen);
      if (args.outputs.size() > 1) {
        args.outputs[1].as<int32_t>()[n] = static_cast<int32_t>(count);
      }
    }
    if (args.outputs.size() > 3) {
      *args.outputs[3].as<int64_t>() = (chosen.end - chosen.begin) / 3;
    }
    return Status();
  }

  // Returns how many boxes of an image are kept, which are the first ones of
  // `kept`, sorted.
  int64_t Keep(const float* corners, const float* scores,
               NonMaxSuppressionCandidate* kept,
               NonMaxSuppressionCandidate* list) const {
    const int64_t most = most_kept();
    if (attrs.classes_per_box > 0) {
      const int64_t n = CollectBest(scores, list);
      return std::min(most, Suppress(corners, list, n, kept));
    }
    int64_t count = 0;
    for (int64_t c = 0; c < classes; ++c) {
      if (c == attrs.background) continue;
      const int64_t n = CollectClass(scores, static_cast<int32_t>(c), list);
      const float* own = corners + (lists == 1 ? 0 : c) * 4;
      count += Suppress(own, list, n, kept + count);
      if (count > most) {
        std::nth_element(kept, kept + most, kept + count, Better);
        count = most;
      }
    }
    std::sort(kept, kept + count, attrs.by_class ? BetterInClass : Better);
    return count;
  }

  int64_t CollectClass(const float* scores, int32_t label,
                       NonMaxSuppressionCandidate* list) const {
    int64_t count = 0;
    for (int64_t i = 0; i < boxes; ++i) {
      const float score = scores[i * classes + label];
      if (score > attrs.score_threshold) {
        list[count++] = {score, static_cast<int32_t>(i), label};
      }
    }
    return count;
  }

  // Collects each box with its best class.
  int64_t CollectBest(const float* scores,
                      NonMaxSuppressionCandidate* list) const {
    int64_t count = 0;
    for (int64_t i = 0; i < boxes; ++i) {
      NonMaxSuppressionCandidate best = {attrs.score_threshold,
                                         static_cast<int32_t>(i), -1};
      for (int64_t c = 0; c < classes; ++c) {
        const float score = scores[i * classes + c];
        if (c != attrs.background && score > best.score) {
          best.score = score;
          best.label = static_cast<int32_t>(c);
        }
      }
      if (best.label >= 0) list[count++] = best;
    }
    return count;
  }

  // Writes those of n candidates to `kept` that overlap no better one, and
  // returns how many these are.
  int64_t Suppress(const float* corners, NonMaxSuppressionCandidate* list,
                   int64_t n, NonMaxSuppressionCandidate* kept) const {
    const int64_t considered = attrs.top_k > 0 ? std::min(n, attrs.top_k) : n;
    std::partial_sort(list, list + considered, list + n, Better);
    const int64_t most = std::min(attrs.MostOfClass(boxes), most_kept());
    float threshold = attrs.iou_threshold;
    int64_t count = 0;
    for (int64_t i = 0; i < considered && count < most; ++i) {
      const float* box = corners + list[i].box * lists * 4;
      bool free = true;
      for (int64_t k = 0; k < count && free; ++k) {
        free =
            !(BoxOverlap(box, corners + kept[k].box * lists * 4) > threshold);
      }
      if (!free) continue;
      kept[count++] = list[i];
      if (threshold > 0.5f) threshold *= attrs.eta;
    }
    return count;
  }

  void Write(int64_t image, const NonMaxSuppressionCandidate* kept,
             int64_t count, const float* corners, const float* scores,
             NonMaxSuppressionCandidate* list, float* out,
             Chosen& chosen) const {
    for (int64_t k = 0; k < count; ++k) {
      const NonMaxSuppressionCandidate& one = kept[k];
      const float* own =
          corners + (one.box * lists + (lists == 1 ? 0 : one.label)) * 4;
      if (attrs.classes_per_box <= 1) {
        WriteRow(image, one, own, out);
        chosen.Add(image, one);
        out += 7;
        continue;
      }
      const int64_t n = ClassesOf(scores, one.box, list);
      for (int64_t j = 0; j < n; ++j, out += 7) {
        WriteRow(image, list[j], own, out);
        chosen.Add(image, list[j]);
      }
    }
  }

  // Writes the best classes of a box to `list`, and returns how many these are.
  int64_t ClassesOf(const float* scores, int32_t box,
                    NonMaxSuppressionCandidate* list) const {
    int64_t n = 0;
    for (int64_t c = 0; c < classes; ++c) {
      if (c == attrs.background) continue;
      const float score = scores[box * classes + c];
      list[n++] = {score == score ? score : attrs.score_threshold, box,
                   static_cast<int32_t>(c)};
    }
    std::partial_sort(list, list + attrs.classes_per_box, list + n, Better);
    return attrs.classes_per_box;
  }

  static void WriteRow(int64_t image, const NonMaxSuppressionCandidate& one,
                       const float* box, float* out) {
    out[0] = static_cast<float>(image);
    out[1] = static_cast<float>(one.label);
    out[2] = one.score;
    std::copy_n(box, 4, out + 3);
  }
};

Result<KernelPtr> PrepareNonMaxSuppressionF32(const Node& node, CpuContext&) {
  auto kernel = std::make_unique<NonMaxSuppressionF32>();
  MACE_ASSIGN_OR_RETURN(kernel->attrs, ReadAttrs<NonMaxSuppressionAttrs>(node));
  const Shape& scores = node.inputs[1].type.shape;
  kernel->images = scores[0];
  kernel->boxes = scores[1];
  kernel->classes = scores[2];
  kernel->lists = node.inputs[0].type.shape[2];
  kernel->rows = node.outputs[0].shape[1];
  if (SaturatedProduct({scores[1], scores[2]}) > INT32_MAX) {
    return Unsupported(Label(node), ": ", scores[1], " boxes of ", scores[2],
                       " classes, more than 2^31 scores");
  }
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs NonMaxSuppression() {
  return {{DataType::kF32, PrepareNonMaxSuppressionF32}};
}

}  // namespace mace::cpu
