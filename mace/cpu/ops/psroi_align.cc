// PsroiAlign on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/psroi_align.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// The part [begin, end) of bin `k` when a region is divided into `bins` along
// an axis, clipped to [0, extent]; `whole`: with all pixels that it touches.
struct Span {
  float begin, end;
};

Span BinOf(float from, float to, int64_t k, int64_t bins, int64_t extent,
           bool whole) {
  const float start = from;
  const float size = std::max(to - from, 0.1f) / static_cast<float>(bins);
  const float limit = static_cast<float>(extent);
  // NaN becomes 0, because max(0, NaN) is 0.
  const auto inside = [limit](float v) {
    return std::min(std::max(0.0f, v), limit);
  };
  const float begin = start + static_cast<float>(k) * size;
  const float end = start + static_cast<float>(k + 1) * size;
  if (whole) return {inside(std::floor(begin)), inside(std::ceil(end))};
  return {inside(begin), inside(begin + size)};
}

struct PsroiAlignF32 final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  float scale = 1;
  int64_t batch = 1, height = 1, width = 1, channels = 1;
  int64_t dim = 1, bins = 1, num_rois = 0;
  bool whole = false;

  Status Run(const RunArgs& args) override {
    const float* x = args.inputs[0].as<const float>();
    const float* rois = args.inputs[1].as<const float>();
    float* y = args.outputs[0].as<float>();
    for (int64_t r = 0; r < num_rois; ++r) {
      const float b = rois[5 * r];
      if (!(b >= 0 && b < static_cast<float>(batch))) {
        return InvalidArgument(label, ": batch ", std::to_string(b),
                               " of region ", r, " is out of range for ",
                               batch);
      }
    }
    const int64_t bins_per_roi = bins * bins;
    threads->ParallelFor(
        num_rois * bins_per_roi, 1, [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const float* roi = rois + u / bins_per_roi * 5;
            const int64_t image = static_cast<int64_t>(roi[0]);
            Bin(x + image * height * width * channels, roi,
                u % bins_per_roi / bins, u % bins, y + u * dim);
          }
        });
    return Status();
  }

  void Bin(const float* x, const float* roi, int64_t p, int64_t q,
           float* y) const {
    const auto corner = [&](int i) {
      return whole ? std::round(roi[i]) : roi[i];
    };
    const Span w = BinOf(corner(1) * scale, (corner(3) + 1) * scale, q, bins,
                         width, whole);
    const Span h = BinOf(corner(2) * scale, (corner(4) + 1) * scale, p, bins,
                         height, whole);
    const float area = (h.end - h.begin) * (w.end - w.begin);
    std::fill_n(y, dim, 0.0f);
    if (!(area > 0)) return;
    // The loop counts integers, so that it ends even if the float is too large
    // to change by adding 1.
    for (int64_t i = 0; h.begin + static_cast<float>(i) < h.end; ++i) {
      for (int64_t j = 0; w.begin + static_cast<float>(j) < w.end; ++j) {
        AddSample(x + p * bins + q, h.begin + static_cast<float>(i),
                  w.begin + static_cast<float>(j), y);
      }
    }
    for (int64_t d = 0; d < dim; ++d) y[d] /= area;
  }

  // Adds the bilinear interpolation of the four pixels around (h, w), which
  // lies inside x or on its far edge.
  void AddSample(const float* x, float h, float w, float* y) const {
    const int64_t top = std::min(static_cast<int64_t>(h), height - 1);
    const int64_t left = std::min(static_cast<int64_t>(w), width - 1);
    const int64_t bottom = std::min(top + 1, height - 1);
    const int64_t right = std::min(left + 1, width - 1);
    const float fh = h - static_cast<float>(top);
    const float fw = w - static_cast<float>(left);
    const auto at = [&](int64_t row, int64_t col) {
      return x + (row * width + col) * channels;
    };
    const float* tl = at(top, left);
    const float* tr = at(top, right);
    const float* bl = at(bottom, left);
    const float* br = at(bottom, right);
    for (int64_t d = 0; d < dim; ++d) {
      const int64_t c = d * bins * bins;
      y[d] += (1 - fh) * ((1 - fw) * tl[c] + fw * tr[c]) +
              fh * ((1 - fw) * bl[c] + fw * br[c]);
    }
  }
};

Result<KernelPtr> PreparePsroiAlignF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const PsroiAlignAttrs attrs,
                        ReadAttrs<PsroiAlignAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  auto kernel = std::make_unique<PsroiAlignF32>();
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->scale = attrs.spatial_scale;
  kernel->batch = x[0];
  kernel->height = x[1];
  kernel->width = x[2];
  kernel->channels = x[3];
  kernel->dim = attrs.output_dim;
  kernel->bins = attrs.group_size;
  kernel->whole = attrs.whole_pixels;
  kernel->num_rois = node.inputs[1].type.shape[0];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs PsroiAlign() { return {{DataType::kF32, PreparePsroiAlignF32}}; }

}  // namespace mace::cpu
