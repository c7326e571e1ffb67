// Running a depthwise convolution.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/depthwise/depthwise.h"

#include <algorithm>
#include <type_traits>

#include "mace/base/fp16.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/common/weight_floats.h"
#include "mace/cpu/depthwise/wide_dwconv.h"
#include "mace/cpu/reference/pooling.h"

namespace mace::cpu {
namespace {

// The width of a tile if the pixels of a wider one would compete for the same
// few sets of the first-level cache.
constexpr int64_t kNarrow = 4;
// Small tasks let an output overlap its input closely.
constexpr int64_t kDepthwiseTasksPerThread = 8;

// Writes the addresses of `n` pixels, two at a time because there are many, and
// returns their end.
template <typename T>
const T** EachPixel(const T* from, int64_t pixel, int64_t n, const T** to) {
  for (; n >= 2; n -= 2, to += 2, from += 2 * pixel) {
    to[0] = from;
    to[1] = from + pixel;
  }
  if (n > 0) *to++ = from;
  return to;
}

template <typename T>
const Dwconv<T>& ChooseDwconv(const Window& w, CpuFeatures features) {
  const auto fits = [&w](const Dwconv<T>& row) {
    return row.kernel == 0 || (row.kernel == w.kernel &&
                               row.stride == w.stride && w.dilation == 1);
  };
  const bool dense = w.dilation == 1;
  if constexpr (std::is_same_v<T, float>) {
    const auto* wide =
        dense ? WideDwconvF32(w.kernel, w.stride, features) : nullptr;
    return wide != nullptr ? *wide : ChooseRow(kDwconvF32, features, fits);
  } else {
    const auto* wide =
        dense ? WideDwconvF16(w.kernel, w.stride, features) : nullptr;
    return wide != nullptr ? *wide : ChooseRow(kDwconvF16, features, fits);
  }
}

float Rounded(float x, float) { return x; }
uint16_t Rounded(float x, uint16_t) { return ToFp16(x); }

// Returns whether pixels at this distance in bytes share four sets. If they
// share eight, wide tiles were still a fifth faster.
bool PixelsConflict(int64_t bytes, const CacheSizes& caches) {
  return bytes % (BlocksOf(caches).set_bytes / 4) == 0;
}

}  // namespace

// One line of the output.
template <typename T>
struct DepthwiseOf<T>::Line {
  Image image;
  const T* packed;  // the taps of the first line of the window that is used
  const T* bias;
  T* y;
  int64_t top;     // the input line that it meets
  int64_t height;  // lines of the window inside the image
};

template <typename T>
DepthwiseOf<T>::DepthwiseOf(const Spec& spec, const CpuContext& context)
    : spec_(spec),
      activator_(spec.activation, context.features),
      threads_(context.threads) {
  const Window& w = spec.window.w;
  micro_ = &ChooseDwconv<T>(w, context.features);
  taps_ = spec.window.h.kernel * w.kernel;
  max_width_ = micro_->max_width;
  if (spec.tile > 0) {
    max_width_ = std::min(max_width_, spec.tile);
  } else if (PixelsConflict(spec.channels * static_cast<int64_t>(sizeof(T)),
                            context.caches)) {
    max_width_ = std::min(max_width_, kNarrow);
  }
  const int64_t columns =
      micro_->kernel == 0 ? w.kernel : (max_width_ - 1) * w.stride + w.kernel;
  pixels_ = spec.window.h.kernel * columns;
  if (spec_.y_pixel == 0) spec_.y_pixel = spec.channels;
  zeros_.resize(spec.channels);
}

template <typename T>
int64_t DepthwiseOf<T>::packed_bytes() const {
  return CeilDiv(spec_.channels, micro_->lanes) * micro_->lanes * taps_ *
         static_cast<int64_t>(sizeof(T));
}

template <typename T>
std::string DepthwiseOf<T>::packing() const {
  return StrCat("depthwise by ", micro_->lanes,
                sizeof(T) == sizeof(float) ? "" : " as f16");
}

template <typename T>
void DepthwiseOf<T>::Pack(const float* w, T* packed) const {
  const int64_t lanes = micro_->lanes;
  for (int64_t c0 = 0; c0 < spec_.channels; c0 += lanes) {
    for (int64_t t = 0; t < taps_; ++t) {
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t c = c0 + i;
        *packed++ = Rounded(c < spec_.channels ? w[c * taps_ + t] : 0, T());
      }
    }
  }
}

template <typename T>
Result<std::shared_ptr<const void>> DepthwiseOf<T>::PackConstant(
    const Operand& w, CpuContext& context) const {
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats, WeightFloats::Create(w));
    Pack(floats.data(), static_cast<T*>(packed));
    return Status();
  };
  return context.packed->GetOrPack(w.weight_id, packing(), packed_bytes(),
                                   pack);
}

template <typename T>
int64_t DepthwiseOf<T>::thread_scratch_bytes() const {
  return pixels_ * static_cast<int64_t>(sizeof(const T*));
}

template <typename T>
int64_t DepthwiseOf<T>::num_tasks() const {
  return std::min(spec_.batch * spec_.window.h.out,
                  threads_->num_threads() * kDepthwiseTasksPerThread);
}

template <typename T>
int64_t DepthwiseOf<T>::SafeDistanceBytes() const {
  const Window &h = spec_.window.h, &w = spec_.window.w;
  const int64_t pixel = spec_.channels * static_cast<int64_t>(sizeof(T));
  const int64_t threads = threads_->num_threads();
  // One thread runs line by line.
  const int64_t lines = spec_.batch * h.out;
  const int64_t pieces = threads == 1 ? lines : num_tasks();
  return SafeDistance(
      pieces, threads,
      [&](int64_t i) {
        return PieceBegin(i + 1, pieces, lines) * w.out * pixel;
      },
      [&](int64_t i) {
        const int64_t line = PieceBegin(i, pieces, lines);
        const int64_t top = line % h.out * h.stride - h.pad_before;
        return (line / h.out * h.in + std::max<int64_t>(top, 0)) * w.in * pixel;
      });
}

template <typename T>
void DepthwiseOf<T>::Run(const T* x, const T* packed, const T* bias, T* y,
                         void* scratch) const {
  const Window &h = spec_.window.h, &w = spec_.window.w;
  const int64_t lines = spec_.batch * h.out;
  const int64_t tasks = num_tasks();
  const bool in_order =
      RangesOverlap(y, lines * w.out * spec_.channels, x,
                    spec_.batch * h.in * w.in * spec_.channels);
  RunTasks(threads_, tasks, in_order, [&](size_t worker, size_t task) {
    const int64_t index = static_cast<int64_t>(task);
    void* pixels =
        static_cast<char*>(scratch) + worker * thread_scratch_bytes();
    const int64_t end = PieceBegin(index + 1, tasks, lines);
    for (int64_t i = PieceBegin(index, tasks, lines); i < end; ++i) {
      const T* image = x + i / h.out * h.in * w.in * spec_.channels;
      RunLine({image, h.in}, i % h.out, packed, bias,
              y + i * w.out * spec_.y_pixel, pixels);
    }
  });
}

template <typename T>
void DepthwiseOf<T>::RunLine(const Image& image, int64_t p, const T* packed,
                             const T* bias, T* y, void* thread_scratch) const {
  const Taps rows = TapsInside(spec_.window.h, p);
  Line line;
  line.image = image;
  line.packed = packed + rows.first * spec_.window.w.kernel * micro_->lanes;
  line.bias = bias;
  line.y = y;
  line.top = rows.start;
  line.height = rows.count;
  RunTiles(line, static_cast<const T**>(thread_scratch));
}

template <typename T>
void DepthwiseOf<T>::RunTiles(const Line& line, const T** pixels) const {
  const Window& w = spec_.window.w;
  DwconvTile<T> tile;
  tile.channels = spec_.channels;
  tile.height = micro_->kernel == 0 ? line.height * w.kernel : line.height;
  tile.x = pixels;
  tile.w = line.packed;
  tile.w_stride = taps_ * micro_->lanes;
  // The float32 assembly of armv8 is only for tiles with a bias.
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
    // Pixels without gaps are activated in one call.
    const bool dense = spec_.y_pixel == spec_.channels;
    T* y = line.y + q * spec_.y_pixel;
    activator_.Apply(y, dense ? w.out * spec_.channels : spec_.channels, y);
    if (dense) break;
  }
}

template <typename T>
void DepthwiseOf<T>::FindPixels(const Line& line, int64_t q, int64_t width,
                                const T** pixels) const {
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
    const T* from = line.image.x + (at_line * w.in + left) * spec_.channels;
    pixels = EachPixel(zeros_.data(), 0, first, pixels);
    pixels = EachPixel(from + first * pixel, pixel, end - first, pixels);
    pixels = EachPixel(zeros_.data(), 0, columns - end, pixels);
  }
}

template class DepthwiseOf<float>;
template class DepthwiseOf<uint16_t>;

}  // namespace mace::cpu
