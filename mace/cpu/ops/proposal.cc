// Proposal on the CPU: decodes the boxes, sorts them by score, and suppresses
// those that overlap a better one.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/proposal.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/table_size.h"

namespace mace::cpu {
namespace {

// A box by its corner pixels, both of which belong to it: its width is x2 - x1
// + 1.
struct Box {
  float x1, y1, x2, y2;

  float width() const { return x2 - x1 + 1; }
  float height() const { return y2 - y1 + 1; }
};

struct ProposalCandidate {
  Box box;
  float score;
  int32_t index;  // decides ties; -1: suppressed
};

// Returns the anchors at the first position: for each ratio (of height to
// width, at the area of the base) each scale, around the centre of the base.
std::vector<Box> MakeAnchors(const ProposalAttrs& attrs) {
  const float base = static_cast<float>(attrs.base_size);
  const float centre = (base - 1) / 2;
  std::vector<Box> anchors;
  for (float ratio : attrs.ratios) {
    const float w = std::nearbyint(std::sqrt(base * base / ratio));
    const float h = std::nearbyint(w * ratio);
    for (int64_t scale : attrs.scales) {
      const float half_w = (w * static_cast<float>(scale) - 1) / 2;
      const float half_h = (h * static_cast<float>(scale) - 1) / 2;
      anchors.push_back(
          {centre - half_w, centre - half_h, centre + half_w, centre + half_h});
    }
  }
  return anchors;
}

// Moves and scales the anchor by its deltas, and clips it to the image.
Box Decode(const Box& anchor, const float* delta, float image_w,
           float image_h) {
  const float w = anchor.width(), h = anchor.height();
  const float centre_x = anchor.x1 + 0.5f * w + delta[0] * w;
  const float centre_y = anchor.y1 + 0.5f * h + delta[1] * h;
  const float half_w = 0.5f * w * std::exp(delta[2]);
  const float half_h = 0.5f * h * std::exp(delta[3]);
  const auto clip = [](float v, float extent) {
    return std::max(0.0f, std::min(v, extent - 1));
  };
  return {clip(centre_x - half_w, image_w), clip(centre_y - half_h, image_h),
          clip(centre_x + half_w, image_w), clip(centre_y + half_h, image_h)};
}

// Returns the intersection over union.
float Overlapping(const Box& a, const Box& b) {
  const float w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + 1;
  const float h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + 1;
  if (!(w > 0 && h > 0)) return 0;
  const float both = w * h;
  return both / (a.width() * a.height() + b.width() * b.height() - both);
}

struct ProposalF32 final : Kernel {
  ProposalAttrs attrs;
  std::vector<Box> anchors;
  int64_t height = 0, width = 0;

  int64_t num_boxes() const {
    return height * width * static_cast<int64_t>(anchors.size());
  }
  int64_t scratch_bytes() const override {
    return num_boxes() * static_cast<int64_t>(sizeof(ProposalCandidate));
  }

  Status Run(const RunArgs& args) override {
    ProposalCandidate* boxes = args.scratch.as<ProposalCandidate>();
    const int64_t found = std::min(Collect(args, boxes), attrs.pre_nms_top_n);
    float* rois = args.outputs[0].as<float>();
    std::fill_n(rois, 5 * attrs.post_nms_top_n, 0.0f);
    int64_t kept = 0;
    for (int64_t i = 0; i < found && kept < attrs.post_nms_top_n; ++i) {
      if (boxes[i].index < 0) continue;
      const Box& box = boxes[i].box;
      const float row[] = {0, box.x1, box.y1, box.x2, box.y2};
      std::copy_n(row, 5, rois + 5 * kept++);
      for (int64_t j = i + 1; j < found; ++j) {
        if (Overlapping(box, boxes[j].box) > attrs.nms_thresh) {
          boxes[j].index = -1;
        }
      }
    }
    return Status();
  }

  // Writes the boxes that are large enough, best first as far as the order
  // matters.
  int64_t Collect(const RunArgs& args, ProposalCandidate* boxes) const {
    const float* scores = args.inputs[0].as<const float>();
    const float* deltas = args.inputs[1].as<const float>();
    const float* info = args.inputs[2].as<const float>();
    const float min_size = static_cast<float>(attrs.min_size) * info[2];
    const int64_t num_anchors = static_cast<int64_t>(anchors.size());
    int64_t count = 0;
    for (int64_t i = 0; i < num_boxes(); ++i) {
      const int64_t cell = i / num_anchors, a = i % num_anchors;
      const float score = scores[(2 * cell + 1) * num_anchors + a];
      Box anchor = anchors[a];
      const float x = static_cast<float>(cell % width * attrs.feat_stride);
      const float y = static_cast<float>(cell / width * attrs.feat_stride);
      anchor = {anchor.x1 + x, anchor.y1 + y, anchor.x2 + x, anchor.y2 + y};
      const Box box = Decode(anchor, deltas + 4 * i, info[1], info[0]);
      // A box with NaN is dropped, because sorting needs an order.
      if (score == score && box.width() >= min_size &&
          box.height() >= min_size) {
        boxes[count++] = {box, score, static_cast<int32_t>(i)};
      }
    }
    const int64_t top = std::min(count, attrs.pre_nms_top_n);
    std::partial_sort(
        boxes, boxes + top, boxes + count,
        [](const ProposalCandidate& a, const ProposalCandidate& b) {
          return a.score != b.score ? a.score > b.score : a.index < b.index;
        });
    return count;
  }
};

Result<KernelPtr> PrepareProposalF32(const Node& node, CpuContext&) {
  auto kernel = std::make_unique<ProposalF32>();
  MACE_ASSIGN_OR_RETURN(kernel->attrs, ReadAttrs<ProposalAttrs>(node));
  MACE_RETURN_IF_ERROR(
      CheckTable(node, "anchors", {node.inputs[0].type.shape[3]}, sizeof(Box)));
  kernel->anchors = MakeAnchors(kernel->attrs);
  kernel->height = node.inputs[0].type.shape[1];
  kernel->width = node.inputs[0].type.shape[2];
  if (SaturatedProduct({kernel->height, kernel->width,
                        static_cast<int64_t>(kernel->anchors.size())}) >
      INT32_MAX) {
    return Unsupported(Label(node), ": more than 2^31 boxes");
  }
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Proposal() { return {{DataType::kF32, PrepareProposalF32}}; }

}  // namespace mace::cpu
