// Plans the images of each format as a problem of its own, and joins the plans.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/images.h"

#include <algorithm>

#include "mace/memory/planners.h"

namespace mace::memory {
namespace {

// Returns a problem with every record, so that the ids in messages are the
// caller's. Records of other formats have no pixels.
Problem ProblemOf(const std::vector<ImageRecord>& records, int32_t format,
                  const ImageFormat& pixels, const ImageLimits& limits) {
  Problem p;
  p.element_bytes = pixels.pixel_bytes;
  p.row_pitch = pixels.pitch_pixels;
  p.max_extents = {limits.max_width, limits.max_height, 1};
  for (const ImageRecord& image : records) {
    Record r;
    r.first = image.first;
    r.last = image.last;
    r.name = image.name;
    r.size =
        image.format == format ? Size(image.width, image.height) : Size(0, 0);
    p.records.push_back(r);
  }
  return p;
}

void MergeImages(const Plan& part, int32_t format, ImagePlan* plan) {
  const auto base = static_cast<int32_t>(plan->images.size());
  for (size_t i = 0; i < part.object_ids.size(); ++i) {
    if (part.object_ids[i] != kNone) {
      plan->image_of[i] = base + part.object_ids[i];
    }
  }
  for (const Size& size : part.object_sizes) {
    plan->images.push_back({size.extent[0], size.extent[1], format});
  }
  Add(part.certificate, &plan->certificate);
}

}  // namespace

Result<ImagePlan> PlanImages(const std::vector<ImageRecord>& records,
                             const std::vector<ImageFormat>& formats,
                             const ImageLimits& limits,
                             const std::string& strategy,
                             const Options& options) {
  const auto num_formats = static_cast<int32_t>(formats.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const int32_t format = records[i].format;
    if (format >= 0 && format < num_formats) continue;
    const Problem p = ProblemOf(records, format, ImageFormat(), limits);
    return InvalidArgument(Label(p, static_cast<int32_t>(i)), ": format ",
                           format, " is out of range [0, ", num_formats, ")");
  }
  ImagePlan plan;
  plan.image_of.assign(records.size(), kNone);
  plan.certificate.status = Certificate::kOptimal;
  plan.certificate.strategy = strategy;
  for (int32_t format = 0; format < num_formats; ++format) {
    const Problem p = ProblemOf(records, format, formats[format], limits);
    MACE_ASSIGN_OR_RETURN(const Plan part, Solve(p, strategy, options));
    if (part.object_ids.size() != records.size()) {
      return Unsupported("'", strategy,
                         "' plans offsets; images take an objects/ strategy");
    }
    MergeImages(part, format, &plan);
  }
  return plan;
}

}  // namespace mace::memory
