// GridSample on the CPU: each position adds up to four taps along each axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

constexpr int kMaxTaps = 4;

// The elements along one axis that a position reads.
struct GridTaps {
  int count = 0;
  int64_t at[kMaxTaps];  // -1: outside, where x is 0
  float weight[kMaxTaps];
};

// Mirrors v at `low` and `high` until it lies between them.
float Reflected(float v, float low, float high) {
  const float span = high - low;
  if (!(span > 0)) return low;
  const float away = std::fmod(std::fabs(v - low), 2 * span);
  return away > span ? high - (away - span) : low + away;
}

// Keys' weights of the elements at distances 1 + t, t, 1 - t and 2 - t.
void CubicWeights(float t, float* w) {
  constexpr float kA = -0.75f;
  const auto near = [](float d) {
    return ((kA + 2) * d - (kA + 3)) * d * d + 1;
  };
  const auto far = [](float d) {
    return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA;
  };
  w[0] = far(1 + t);
  w[1] = near(t);
  w[2] = near(1 - t);
  w[3] = far(2 - t);
}

// How positions along an axis of `extent` elements become taps.
struct Axis {
  int64_t extent = 1;
  int64_t stride = 1;  // in x, in elements
  GridMode mode = GridMode::kLinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false, pixels = false;

  float Pixel(float v) const {
    const float n = static_cast<float>(extent);
    if (pixels) return v;
    return align_corners ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
  }

  float Mirrored(float v) const {
    const float n = static_cast<float>(extent);
    return align_corners ? Reflected(v, 0, n - 1)
                         : Reflected(v, -0.5f, n - 0.5f);
  }

  // Limits v, so that it becomes an integer; NaN becomes the lower limit.
  float Limited(float v, float low, float high) const {
    return v > low ? std::min(v, high) : low;
  }

  // Returns the element that an integer position means, or -1.
  int64_t Element(int64_t i) const {
    if (i >= 0 && i < extent) return i;
    if (padding == GridPadding::kZeros) return -1;
    const float last = static_cast<float>(extent - 1);
    float v = static_cast<float>(i);
    if (padding == GridPadding::kReflection) v = Mirrored(v);
    // `last` may have been rounded up to a float.
    return std::min(static_cast<int64_t>(Limited(std::nearbyint(v), 0, last)),
                    extent - 1);
  }

  GridTaps At(float coordinate) const {
    const float last = static_cast<float>(extent - 1);
    float v = Pixel(coordinate);
    // Before interpolation, as PyTorch and ONNX do; CUBIC moves each tap.
    if (mode != GridMode::kCubic && padding != GridPadding::kZeros) {
      if (padding == GridPadding::kReflection && std::isfinite(v)) {
        v = Mirrored(v);
      }
      v = Limited(v, 0, last);
    }
    // Three elements outside of x is as far as any tap reaches back in.
    if (padding != GridPadding::kReflection || !std::isfinite(v)) {
      v = Limited(v, -4, last + 4);
    } else {
      v = Limited(v, -1e9f, 1e9f);
    }
    GridTaps taps;
    if (mode == GridMode::kNearest) {
      taps.count = 1;
      taps.at[0] = Element(static_cast<int64_t>(std::nearbyint(v)));
      taps.weight[0] = 1;
      return taps;
    }
    const float floor = std::floor(v);
    int64_t first = static_cast<int64_t>(floor);
    if (mode == GridMode::kLinear) {
      taps.count = 2;
      taps.weight[1] = v - floor;
      taps.weight[0] = 1 - taps.weight[1];
    } else {
      taps.count = 4;
      CubicWeights(v - floor, taps.weight);
      --first;
    }
    for (int k = 0; k < taps.count; ++k) taps.at[k] = Element(first + k);
    return taps;
  }
};

struct GridSampleF32 final : Kernel {
  ThreadPool* threads = nullptr;
  std::string label;
  std::vector<Axis> axes;  // in the order of a position's coordinates
  int64_t images = 1, image_elements = 0, rows = 0, row = 0, channels = 1;
  bool chooses = false;  // has input 2
  DataType idx_dtype = DataType::kI32;

  int64_t macs() const override {
    int64_t taps = rows * row * channels;
    for (const Axis& a : axes) taps *= a.mode == GridMode::kCubic ? 4 : 2;
    return taps;
  }

  Status Run(const RunArgs& args) override {
    const Indices image(chooses ? args.inputs[2].handle : nullptr, idx_dtype);
    for (int64_t m = 0; chooses && m < rows; ++m) {
      if (image[m] < 0 || image[m] >= images) {
        return IndexError(label, image[m], images);
      }
    }
    const float* x = args.inputs[0].as<const float>();
    const float* grid = args.inputs[1].as<const float>();
    float* y = args.outputs[0].as<float>();
    if (channels == 0) return Status();
    threads->ParallelFor(rows * row, 64, [&](size_t begin, size_t end) {
      for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
        const int64_t m = i / row;
        const int64_t n = chooses ? image[m] : m;
        Sample(x + n * image_elements, grid + i * axes.size(),
               y + i * channels);
      }
    });
    return Status();
  }

  void Sample(const float* x, const float* position, float* y) const {
    GridTaps taps[3];
    for (size_t a = 0; a < axes.size(); ++a) taps[a] = axes[a].At(position[a]);
    for (size_t a = axes.size(); a < 3; ++a) {  // one tap on the whole
      taps[a].count = 1;
      taps[a].at[0] = 0;
      taps[a].weight[0] = 1;
    }
    std::fill_n(y, channels, 0.0f);
    for (int k = 0; k < taps[2].count; ++k) {
      for (int j = 0; j < taps[1].count; ++j) {
        for (int i = 0; i < taps[0].count; ++i) {
          const int at[3] = {i, j, k};
          Add(x, taps, at, y);
        }
      }
    }
  }

  void Add(const float* x, const GridTaps* taps, const int* at,
           float* y) const {
    float weight = 1;
    for (size_t a = 0; a < axes.size(); ++a) {
      const int64_t element = taps[a].at[at[a]];
      if (element < 0) return;
      weight *= taps[a].weight[at[a]];
      x += element * axes[a].stride;
    }
    for (int64_t c = 0; c < channels; ++c) y[c] += weight * x[c];
  }
};

Result<KernelPtr> PrepareGridSampleF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const GridSampleAttrs attrs,
                        ReadAttrs<GridSampleAttrs>(node));
  Axis axis;
  MACE_ASSIGN_OR_RETURN(axis.mode, GridModeOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(axis.padding, GridPaddingOf(node, attrs));
  axis.align_corners = attrs.align_corners;
  axis.pixels = attrs.pixels;
  const mace::Shape& x = node.inputs[0].type.shape;
  auto kernel = std::make_unique<GridSampleF32>();
  kernel->threads = context.threads;
  kernel->label = Label(node);
  kernel->channels = x.back();
  kernel->images = x[0];
  int64_t stride = x.back();
  for (size_t d = x.size() - 2; d > 0; --d) {
    axis.extent = x[d];
    axis.stride = stride;
    kernel->axes.push_back(axis);
    stride *= x[d];
  }
  kernel->image_elements = stride;
  const mace::Shape& y = node.outputs[0].shape;
  kernel->rows = y[0];
  kernel->row = NumElements(mace::Shape(y.begin() + 1, y.end() - 1));
  kernel->chooses = node.has_input(2);
  if (kernel->chooses) kernel->idx_dtype = node.inputs[2].type.dtype;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs GridSample() { return {{DataType::kF32, PrepareGridSampleF32}}; }

}  // namespace mace::cpu
