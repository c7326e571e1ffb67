// Pools the rows of windows, then their columns.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/pooling/pool_lines.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

constexpr int64_t kPoolLinesTasksPerThread = 4;

// Returns how many pixels the windows of a line read, padding included.
int64_t TouchedPixels(const Window& w) {
  return (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
}

// Returns how many windows a line would have if one began at every pixel, not
// only at every stride-th.
int64_t DensePixels(const Window& w) { return (w.out - 1) * w.stride + 1; }

struct PoolLinesF32 final : Kernel {
  int64_t scratch_bytes() const override {
    return threads->num_threads() * thread_bytes();
  }
  std::string variant() const override {
    return StrCat(row->name, " by lines");
  }

  Status Run(const RunArgs& args) override {
    const Window& h = s.window.h;
    const int64_t lines = s.batch * h.out;
    const int64_t tasks =
        std::min(lines, threads->num_threads() * kPoolLinesTasksPerThread);
    const float* x = args.inputs[0].as<const float>();
    float* y = args.outputs[0].as<float>();
    RunTasks(threads, tasks, [&](size_t worker, size_t task) {
      const int64_t i = static_cast<int64_t>(task);
      auto* scratch = reinterpret_cast<float*>(args.scratch.as<char>() +
                                               worker * thread_bytes());
      for (int64_t line = i * lines / tasks; line < (i + 1) * lines / tasks;
           ++line) {
        RunLine(x + line / h.out * h.in * in_floats(), line % h.out,
                y + line * out_floats(), scratch);
      }
    });
    return Status();
  }

  int64_t in_floats() const { return s.window.w.in * s.channels; }
  int64_t out_floats() const { return s.window.w.out * s.channels; }
  int64_t column_floats() const {
    return RoundUp(TouchedPixels(s.window.w) * s.channels);
  }
  int64_t thread_bytes() const {
    const Window& w = s.window.w;
    const int64_t dense =
        w.stride > 1 ? RoundUp(DensePixels(w) * s.channels) : 0;
    return (column_floats() + dense) * static_cast<int64_t>(sizeof(float));
  }
  static int64_t RoundUp(int64_t floats) {
    return AlignUp(floats, kAlignment / static_cast<int64_t>(sizeof(float)));
  }

  void RunLine(const float* image, int64_t p, float* y, float* scratch) const {
    const Window &h = s.window.h, &w = s.window.w;
    const Taps rows = TapsInside(h, p);
    if (rows.count == 0) {
      const bool is_max = s.type == PoolingType::kMax;
      std::fill(y, y + out_floats(),
                static_cast<float>(
                    ReferenceActivation(activation, is_max ? -INFINITY : 0)));
      return;
    }
    const int64_t touched = TouchedPixels(w);
    const int64_t left = std::min(w.pad_before, touched);
    const int64_t inside = std::min(w.in, touched - left);
    const auto floats = [this](int64_t pixels) {
      return static_cast<size_t>(pixels * s.channels);
    };
    PoolF32Line line;
    line.rows = rows.count;
    line.x = image + rows.start * in_floats();
    line.row_stride = h.dilation * in_floats();
    line.in = floats(inside);
    line.left = floats(left);
    line.right = floats(touched - left - inside);
    line.out = floats(DensePixels(w));
    line.columns = scratch;
    line.taps = w.kernel;
    line.tap_step = floats(w.dilation);
    line.y = w.stride > 1 ? scratch + column_floats() : y;
    pool(line);
    if (w.stride > 1) PickPixels(line.y, y);
    const size_t n = out_floats();
    const float* scale =
        scales.empty() ? nullptr : scales.data() + scale_of[p] * n;
    if (scale != nullptr || activation.lower() > -INFINITY ||
        activation.upper() < INFINITY) {
      finish({n, scale, activation.lower(), activation.upper(), y});
    }
    if (!activation.is_clamp()) activator.Apply(y, n, y);
  }

  // Copies every stride-th pixel.
  void PickPixels(const float* dense, float* y) const {
    const Window& w = s.window.w;
    const int64_t channels = s.channels, step = w.stride * channels;
    if (channels == 1) {
      for (int64_t q = 0; q < w.out; ++q) y[q] = dense[q * step];
      return;
    }
    for (int64_t q = 0; q < w.out; ++q, y += channels, dense += step) {
      for (int64_t c = 0; c < channels; ++c) y[c] = dense[c];
    }
  }

  // Makes the scales, 1 / (pixels of the window), for the windows of a line.
  // Lines whose windows have the same number of rows inside the image share
  // theirs.
  void FindScales() {
    const Window &h = s.window.h, &w = s.window.w;
    std::vector<int64_t>
        counts;     // of the lines of scales made so far, in column `q`
    int64_t q = 0;  // a column in which different lines differ
    for (int64_t i = 1; i < w.out; ++i) {
      if (TapsInside(w, i).count > TapsInside(w, q).count) q = i;
    }
    for (int64_t p = 0; p < h.out; ++p) {
      const int64_t count = PoolCount(s, p, q);
      const auto found = std::find(counts.begin(), counts.end(), count);
      scale_of.push_back(found - counts.begin());
      if (found != counts.end()) continue;
      counts.push_back(count);
      for (int64_t i = 0; i < w.out; ++i) {
        const auto divisor = static_cast<float>(PoolCount(s, p, i));
        scales.insert(scales.end(), s.channels, 1 / divisor);
      }
    }
  }

  PoolShape s;
  ActivationFunction activation;
  Activator activator;
  ThreadPool* threads = nullptr;
  const PoolF32* row = nullptr;
  void (*pool)(const PoolF32Line& line) = nullptr;
  void (*finish)(const PoolF32Finish& args) = nullptr;
  std::vector<float> scales;  // one or more lines; empty for a maximum
  std::vector<int64_t>
      scale_of;  // for each output line, the index of its scales
};

}  // namespace

bool LinesPay(const PoolShape& s, const PoolF32& row) {
  if (row.lines == nullptr) return false;
  const Window &h = s.window.h, &w = s.window.w;
  // Padding and strides make lines of any length, which each thread would keep.
  constexpr int64_t kMaxLine = int64_t{1} << 26;  // elements
  if (SaturatedProduct({TouchedPixels(w), s.channels}) > kMaxLine) return false;
  // FindScales makes a line of scales for each number of rows.
  const int64_t scales =
      SaturatedProduct({std::min(h.out, h.kernel), w.out, s.channels});
  constexpr int64_t kMaxScales =
      kMaxTableBytes / static_cast<int64_t>(sizeof(int64_t));
  if (s.type != PoolingType::kMax && std::max(scales, h.out) > kMaxScales) {
    return false;
  }
  // Costs are in vectors loaded or stored for one output line.
  constexpr int64_t kCall = 8;  // overhead of a window
  const int64_t per_pixel = CeilDiv(s.channels, row.lanes);
  const auto product = [](int64_t a, int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  double windows =
      product(h.kernel, w.kernel) * static_cast<double>(per_pixel) + kCall;
  // 3x3 windows have their own loop, which shares columns.
  const bool is_nine = h.kernel == 3 && w.kernel == 3;
  if (is_nine && s.channels >= row.lanes) windows = windows * 3 / 4;
  const double pixels = product(w.in, h.kernel + 1) +
                        product(DensePixels(w), w.kernel + 1) +
                        (w.stride > 1 ? product(w.out, row.lanes) : 0);
  return pixels * product(s.channels, 1) / row.lanes <
         windows * static_cast<double>(w.out);
}

KernelPtr MakePoolLines(const PoolShape& s, const ActivationFunction& act,
                        const PoolF32& row, const CpuContext& context) {
  auto kernel = std::make_unique<PoolLinesF32>();
  kernel->s = s;
  kernel->activation = act;
  kernel->activator = Activator(act, context.features);
  kernel->threads = context.threads;
  kernel->row = &row;
  switch (s.type) {
    case PoolingType::kMax:
      kernel->pool = row.lines->max;
      kernel->finish = row.lines->finish_max;
      break;
    case PoolingType::kAverage:
      kernel->pool = row.lines->sum;
      kernel->finish = row.lines->finish_mean;
      break;
    case PoolingType::kL2:
      kernel->pool = row.lines->squares;
      kernel->finish = row.lines->finish_l2;
      break;
  }
  if (s.type != PoolingType::kMax) kernel->FindScales();
  return kernel;
}

}  // namespace mace::cpu
