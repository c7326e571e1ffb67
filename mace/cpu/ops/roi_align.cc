// RoiAlign on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/roi_align.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

constexpr float kMaxSamples = 256;

// The samples of a region along one axis.
struct Side {
  float start = 0, bin = 0;  // of the region; the size of a bin
  int64_t samples = 1;       // in a bin

  float At(int64_t bin_index, int64_t sample) const {
    return start + bin * (static_cast<float>(bin_index) +
                          (static_cast<float>(sample) + 0.5f) /
                              static_cast<float>(samples));
  }
};

// Two neighbouring pixels and their weights; weights of 0 are outside.
struct Between {
  int64_t low = 0, high = 0;
  float weight_low = 0, weight_high = 0;
};

Between Neighbours(float v, int64_t extent) {
  Between b;
  if (!(v >= -1 && v <= static_cast<float>(extent))) return b;
  v = std::max(v, 0.0f);
  b.low = std::min(static_cast<int64_t>(v), extent - 1);
  b.high = std::min(b.low + 1, extent - 1);
  if (b.low == extent - 1) v = static_cast<float>(b.low);
  b.weight_high = v - static_cast<float>(b.low);
  b.weight_low = 1 - b.weight_high;
  return b;
}

struct RoiAlignF32 final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  RoiAlignAttrs attrs;
  DataType idx_dtype = DataType::kI64;
  bool is_max = false;
  int64_t images = 1, height = 1, width = 1, channels = 1, num_rois = 0;

  Status Run(const RunArgs& args) override {
    const float* rois = args.inputs[1].as<const float>();
    const Indices image(args.inputs[2].handle, idx_dtype);
    for (int64_t r = 0; r < num_rois; ++r) {
      if (image[r] < 0 || image[r] >= images) {
        return IndexError(label, image[r], images);
      }
      for (int k = 0; k < 4; ++k) {
        if (!std::isfinite(rois[4 * r + k])) {
          return InvalidArgument(label, ": region ", r, " has a corner at ",
                                 std::to_string(rois[4 * r + k]));
        }
      }
    }
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    const int64_t bins = attrs.output_height * attrs.output_width;
    threads->ParallelFor(num_rois * bins, 4, [&](size_t begin, size_t end) {
      for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
        const int64_t r = i / bins;
        Bin(x + image[r] * height * width * channels, rois + 4 * r,
            i % bins / attrs.output_width, i % attrs.output_width,
            y + i * channels);
      }
    });
    return Status();
  }

  Side SideOf(float from, float to, int64_t bins) const {
    const float shift = attrs.half_pixel ? 0.5f : 0;
    Side s;
    s.start = from * attrs.spatial_scale - shift;
    float size = to * attrs.spatial_scale - shift - s.start;
    if (!attrs.half_pixel) size = std::max(size, 1.0f);
    s.bin = size / static_cast<float>(bins);
    s.samples = attrs.sampling_ratio;
    // A region turned around has no samples, and neither has one of NaN, of
    // which std::max returns its first argument.
    if (s.samples == 0) {
      s.samples = static_cast<int64_t>(
          std::min(std::max(0.0f, std::ceil(s.bin)), kMaxSamples));
    }
    return s;
  }

  void Bin(const float* x, const float* roi, int64_t p, int64_t q,
           float* y) const {
    const Side h = SideOf(roi[1], roi[3], attrs.output_height);
    const Side w = SideOf(roi[0], roi[2], attrs.output_width);
    std::fill_n(y, channels, 0.0f);
    bool first = true;
    for (int64_t i = 0; i < h.samples; ++i) {
      const Between row = Neighbours(h.At(p, i), height);
      for (int64_t j = 0; j < w.samples; ++j) {
        Sample(x, row, Neighbours(w.At(q, j), width), first, y);
        first = false;
      }
    }
    const auto count = static_cast<float>(h.samples * w.samples);
    for (int64_t c = 0; c < channels && !is_max && count > 0; ++c) {
      y[c] /= count;
    }
  }

  void Sample(const float* x, const Between& h, const Between& w, bool first,
              float* y) const {
    const auto at = [&](int64_t row, int64_t column) {
      return x + (row * width + column) * channels;
    };
    const float* corner[] = {at(h.low, w.low), at(h.low, w.high),
                             at(h.high, w.low), at(h.high, w.high)};
    const float weight[] = {
        h.weight_low * w.weight_low, h.weight_low * w.weight_high,
        h.weight_high * w.weight_low, h.weight_high * w.weight_high};
    for (int64_t c = 0; c < channels; ++c) {
      float v = weight[0] * corner[0][c];
      for (int k = 1; k < 4; ++k) {
        const float part = weight[k] * corner[k][c];
        v = is_max ? std::max(v, part) : v + part;
      }
      y[c] = !is_max ? y[c] + v : first ? v : std::max(y[c], v);
    }
  }
};

Result<KernelPtr> PrepareRoiAlignF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const RoiAlignAttrs attrs,
                        ReadAttrs<RoiAlignAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  auto kernel = std::make_unique<RoiAlignF32>();
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->attrs = attrs;
  kernel->idx_dtype = node.inputs[2].type.dtype;
  kernel->is_max = attrs.mode == "MAX";
  kernel->images = x[0];
  kernel->height = x[1];
  kernel->width = x[2];
  kernel->channels = x[3];
  kernel->num_rois = node.inputs[1].type.shape[0];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs RoiAlign() { return {{DataType::kF32, PrepareRoiAlignF32}}; }

}  // namespace mace::cpu
