// Running a depthwise convolution.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/depthwise.h"

#include <algorithm>

#include "mace/cpu/choose.h"
#include "mace/cpu/safe_distance.h"
#include "mace/cpu/tasks.h"
#include "mace/cpu/weight_floats.h"

namespace mace::cpu {
namespace {

// The width of a tile where the pixels of a wide one would compete for the same
// few sets of the first-level cache: they are a multiple of this apart. At half
// of it, wide tiles are a fifth faster still.
constexpr int64_t kSetConflictBytes = 1024;
constexpr int64_t kNarrow = 4;
// Small tasks, so that an output may begin close before its input.
constexpr int64_t kTasksPerThread = 8;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The addresses of `n` pixels, two at a time: these are many.
const float** EachPixel(const float* from, int64_t pixel, int64_t n,
                        const float** to) {
  for (; n >= 2; n -= 2, to += 2, from += 2 * pixel) {
    to[0] = from;
    to[1] = from + pixel;
  }
  if (n > 0) *to++ = from;
  return to;
}

}  // namespace

// One line of the output.
struct Depthwise::Line {
  Image image;
  const float* packed;  // at the first line of the window that is used
  const float* bias;
  float* y;
  int64_t top;     // input line of that first line
  int64_t height;  // lines of the window inside the image
};

Depthwise::Depthwise(const Spec& spec, const CpuContext& context)
    : spec_(spec),
      activator_(spec.activation, context.features),
      threads_(context.threads) {
  const Window& w = spec.window.w;
  micro_ = &ChooseRow(kDwconvF32, context.features, [&](const DwconvF32& row) {
    return row.kernel == 0 || (row.kernel == w.kernel &&
                               row.stride == w.stride && w.dilation == 1);
  });
  taps_ = spec.window.h.kernel * w.kernel;
  max_width_ = micro_->max_width;
  if (context.choice.width > 0) {
    max_width_ = std::min(max_width_, context.choice.width);
  } else if (spec.channels * 4 % kSetConflictBytes == 0) {
    max_width_ = std::min(max_width_, kNarrow);
  }
  const int64_t columns =
      micro_->kernel == 0 ? w.kernel : (max_width_ - 1) * w.stride + w.kernel;
  pixels_ = spec.window.h.kernel * columns;
  if (spec_.y_pixel == 0) spec_.y_pixel = spec.channels;
  zeros_.resize(spec.channels);
}

int64_t Depthwise::packed_bytes() const {
  return CeilDiv(spec_.channels, micro_->lanes) * micro_->lanes * taps_ *
         static_cast<int64_t>(sizeof(float));
}

std::string Depthwise::packing() const {
  return "depthwise by " + std::to_string(micro_->lanes);
}

void Depthwise::Pack(const float* w, float* packed) const {
  const int64_t lanes = micro_->lanes;
  for (int64_t c0 = 0; c0 < spec_.channels; c0 += lanes) {
    for (int64_t t = 0; t < taps_; ++t) {
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t c = c0 + i;
        *packed++ = c < spec_.channels ? w[c * taps_ + t] : 0;
      }
    }
  }
}

Result<std::shared_ptr<const void>> Depthwise::PackConstant(
    const Operand& w, CpuContext& context) const {
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats, WeightFloats::Create(w));
    Pack(floats.data(), static_cast<float*>(packed));
    return Status();
  };
  return context.packed->GetOrPack(w.weight_id, packing(), packed_bytes(),
                                   pack);
}

int64_t Depthwise::thread_scratch_bytes() const {
  return pixels_ * static_cast<int64_t>(sizeof(const float*));
}

int64_t Depthwise::num_tasks() const {
  return std::min(spec_.batch * spec_.window.h.out,
                  threads_->num_threads() * kTasksPerThread);
}

int64_t Depthwise::SafeDistanceBytes() const {
  const Window &h = spec_.window.h, &w = spec_.window.w;
  const int64_t pixel = spec_.channels * 4;
  const int64_t threads = threads_->num_threads();
  // One thread runs line by line.
  const int64_t lines = spec_.batch * h.out;
  const int64_t pieces = threads == 1 ? lines : num_tasks();
  return SafeDistance(
      pieces, threads,
      [&](int64_t i) { return (i + 1) * lines / pieces * w.out * pixel; },
      [&](int64_t i) {
        const int64_t line = i * lines / pieces;
        const int64_t top = line % h.out * h.stride - h.pad_before;
        return (line / h.out * h.in + std::max<int64_t>(top, 0)) * w.in * pixel;
      });
}

void Depthwise::Run(const float* x, const float* packed, const float* bias,
                    float* y, void* scratch) const {
  const Window &h = spec_.window.h, &w = spec_.window.w;
  const int64_t lines = spec_.batch * h.out;
  const int64_t tasks = num_tasks();
  const bool in_order = Overlap(y, lines * w.out * spec_.channels, x,
                                spec_.batch * h.in * w.in * spec_.channels);
  RunTasks(threads_, tasks, in_order, [&](size_t worker, size_t task) {
    const int64_t index = static_cast<int64_t>(task);
    void* pixels =
        static_cast<char*>(scratch) + worker * thread_scratch_bytes();
    for (int64_t i = index * lines / tasks; i < (index + 1) * lines / tasks;
         ++i) {
      const float* image = x + i / h.out * h.in * w.in * spec_.channels;
      RunLine({image, h.in}, i % h.out, packed, bias,
              y + i * w.out * spec_.y_pixel, pixels);
    }
  });
}

void Depthwise::RunLine(const Image& image, int64_t p, const float* packed,
                        const float* bias, float* y,
                        void* thread_scratch) const {
  const Window& h = spec_.window.h;
  const int64_t origin = p * h.stride - h.pad_before;
  const int64_t first = origin < 0 ? CeilDiv(-origin, h.dilation) : 0;
  const int64_t end = std::min(h.kernel, CeilDiv(h.in - origin, h.dilation));
  Line line;
  line.image = image;
  line.packed = packed + first * spec_.window.w.kernel * micro_->lanes;
  line.bias = bias;
  line.y = y;
  line.top = origin + first * h.dilation;
  line.height = std::max<int64_t>(end - first, 0);
  RunTiles(line, static_cast<const float**>(thread_scratch));
}

void Depthwise::RunTiles(const Line& line, const float** pixels) const {
  const Window& w = spec_.window.w;
  DwconvF32Tile tile;
  tile.channels = spec_.channels;
  tile.height = micro_->kernel == 0 ? line.height * w.kernel : line.height;
  tile.x = pixels;
  tile.w = line.packed;
  tile.w_stride = taps_ * micro_->lanes;
  // Zeros, so that micro-kernels need not do without.
  tile.bias = line.bias != nullptr ? line.bias : zeros_.data();
  tile.y_stride = spec_.y_pixel;
  tile.lower = spec_.activation.lower();
  tile.upper = spec_.activation.upper();
  for (int64_t q = 0; q < w.out; q += max_width_) {
    const int64_t width = std::min(max_width_, w.out - q);
    FindPixels(line, q, width, pixels);
    tile.width = width;
    tile.y = line.y + q * spec_.y_pixel;
    micro_->fn(tile);
  }
  if (spec_.activation.is_clamp()) return;
  for (int64_t q = 0; q < w.out; ++q) {
    // Pixels without a gap between them are activated as one.
    const bool dense = spec_.y_pixel == spec_.channels;
    float* y = line.y + q * spec_.y_pixel;
    activator_.Apply(y, dense ? w.out * spec_.channels : spec_.channels, y);
    if (dense) break;
  }
}

void Depthwise::FindPixels(const Line& line, int64_t q, int64_t width,
                           const float** pixels) const {
  const Window &h = spec_.window.h, &w = spec_.window.w;
  const int64_t columns = (width - 1) * w.stride + w.kernel;
  const int64_t left = q * w.stride - w.pad_before;
  const int64_t pixel = w.dilation * spec_.channels;
  // Columns [first, end) lie inside the image.
  int64_t first = 0, end = columns;
  if (left < 0 || left + (columns - 1) * w.dilation >= w.in) {
    const auto clamped = [&](int64_t distance) {
      return std::clamp<int64_t>(CeilDiv(distance, w.dilation), 0, columns);
    };
    first = clamped(-left);
    end = std::max(first, clamped(w.in - left));
  }
  for (int64_t r = 0; r < line.height; ++r) {
    const int64_t at_line = (line.top + r * h.dilation) % line.image.lines;
    const float* from = line.image.x + (at_line * w.in + left) * spec_.channels;
    pixels = EachPixel(zeros_.data(), 0, first, pixels);
    pixels = EachPixel(from + first * pixel, pixel, end - first, pixels);
    pixels = EachPixel(zeros_.data(), 0, columns - end, pixels);
  }
}

}  // namespace mace::cpu
