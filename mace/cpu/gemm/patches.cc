// Reads and copies the windows of an image.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/patches.h"

#include <algorithm>
#include <cstring>

#include "mace/base/cpu_rows.h"

namespace mace::cpu {
namespace {

// Copies n elements, short runs without a call of memcpy.
template <typename T>
inline void CopyRun(const T* from, int64_t n, T* to) {
  constexpr int64_t kStep = 16 / sizeof(T);
  if (n > 16 * kStep) {
    std::memcpy(to, from, n * sizeof(T));
    return;
  }
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) std::memcpy(to + i, from + i, 16);
  for (; i < n; ++i) to[i] = from[i];
}

template <typename T>
inline void ZeroRun(int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = 0;
}

// Returns whether the windows of outputs [first, last] lie inside the image.
bool Inside(const Window& w, int64_t first, int64_t last) {
  return first * w.stride - w.pad_before >= 0 &&
         last * w.stride - w.pad_before + w.extent() <= w.in;
}

template <typename T>
bool CopyWindowsOf(const Patches& patches, const T* x, int64_t row, int64_t m,
                   T* to, Patches::InPlace* in_place) {
  const int64_t channels = patches.channels;
  const int64_t pixel_stride = patches.pixel_stride;
  const Window &h = patches.window.h, &w = patches.window.w;
  const int64_t q = row % w.out;
  if (w.dilation != 1 || w.stride > w.kernel || q + m > w.out) return false;
  const int64_t p = row / w.out % h.out, n = row / w.out / h.out;
  const int64_t columns = (m - 1) * w.stride + w.kernel;
  const int64_t left = q * w.stride - w.pad_before;
  const int64_t begin = std::clamp<int64_t>(left, 0, w.in);
  const int64_t end = std::clamp<int64_t>(left + columns, begin, w.in);
  *in_place = {0, w.stride * channels, w.kernel * channels, h.kernel,
               columns * channels};
  for (int64_t r = 0; r < h.kernel; ++r, to += columns * channels) {
    const int64_t y = p * h.stride - h.pad_before + r * h.dilation;
    if (y < 0 || y >= h.in) {
      ZeroRun(columns * channels, to);
      continue;
    }
    // Windows may begin after the end of the image.
    const int64_t before =
        std::clamp<int64_t>(begin - left, 0, columns) * channels;
    const int64_t inside = (end - begin) * channels;
    const T* from = x + ((n * h.in + y) * w.in + begin) * pixel_stride;
    ZeroRun(before, to);
    if (channels == pixel_stride) {
      CopyRun(from, inside, to + before);
    } else {
      T* pixel = to + before;
      T* const last = pixel + inside;
      for (; pixel < last; pixel += channels, from += pixel_stride) {
        CopyRun(from, channels, pixel);
      }
    }
    ZeroRun(columns * channels - before - inside, to + before + inside);
  }
  return true;
}

template <typename T>
void CopyRow(const Patches& patches, const T* image, int64_t p, int64_t q,
             int64_t k0, int64_t k1, T* to) {
  const int64_t channels = patches.channels;
  const int64_t pixel_stride = patches.pixel_stride;
  const Window &h = patches.window.h, &w = patches.window.w;
  // A run is a sequence of pixels of a window that are contiguous in memory.
  const bool long_runs = w.dilation == 1 && channels == pixel_stride;
  const int64_t run_pixels = long_runs ? w.kernel : 1;
  const int64_t run_size = run_pixels * channels;
  const int64_t runs_per_line = long_runs ? 1 : w.kernel;
  // The most frequent case needs no divisions, which would take longer than
  // short runs.
  int64_t first_run = 0, line = 0, column = 0;
  if (k0 > 0) {
    first_run = k0 / run_size;
    line = first_run / runs_per_line;
    column = first_run % runs_per_line;
  }
  for (int64_t k = first_run * run_size; k < k1; k += run_size) {
    const int64_t begin = std::max(k0 - k, int64_t{0});
    const int64_t end = std::min(k1 - k, run_size);
    const int64_t y = p * h.stride - h.pad_before + line * h.dilation;
    const int64_t x0 = q * w.stride - w.pad_before + column * w.dilation;
    // The part [first, last) of the run that lies in the image.
    int64_t first = begin, last = begin;
    if (y >= 0 && y < h.in) {
      const int64_t left = std::max<int64_t>(-x0, 0) * channels;
      const int64_t right = std::min(w.in - x0, run_pixels) * channels;
      first = std::clamp(left, begin, end);
      last = std::clamp(right, first, end);
    }
    const T* from = image + (y * w.in + x0) * pixel_stride;
    ZeroRun(first - begin, to);
    CopyRun(from + first, last - first, to + (first - begin));
    ZeroRun(end - last, to + (last - begin));
    to += end - begin;
    if (++column == runs_per_line) {
      column = 0;
      ++line;
    }
  }
}

template <typename T>
void CopyRows(const Patches& patches, const T* x, int64_t row, int64_t m,
              int64_t k0, int64_t k1, T* to, int64_t to_stride) {
  const Window &h = patches.window.h, &w = patches.window.w;
  const int64_t image_size = h.in * w.in * patches.pixel_stride;
  int64_t q = row % w.out, p = row / w.out % h.out;
  const T* image = x + row / w.out / h.out * image_size;
  for (int64_t i = 0; i < m; ++i, to += to_stride) {
    CopyRow(patches, image, p, q, k0, k1, to);
    if (++q < w.out) continue;
    q = 0;
    if (++p < h.out) continue;
    p = 0;
    image += image_size;
  }
}

// Returns f(T()) for an element type T of `bytes` bytes, of those that kernels
// of this build read.
template <typename F>
auto WithElement(size_t bytes, const F& f) {
  if constexpr (kHas8BitKernels || kHas16BitKernels) {
    if (bytes == sizeof(uint16_t)) return f(uint16_t());
    if (kHas8BitKernels && bytes == sizeof(int8_t)) return f(int8_t());
  }
  return f(float());
}

}  // namespace

bool Patches::is_matrix() const {
  const auto single = [](const Window& w) {
    return w.kernel == 1 && w.stride == 1 && w.pad_before == 0 && w.in == w.out;
  };
  return single(window.h) && single(window.w);
}

bool Patches::FindInPlace(int64_t row, int64_t m, InPlace* in_place) const {
  if (is_matrix()) {
    *in_place = {row * pixel_stride, pixel_stride, channels, 1, 0};
    return true;
  }
  const Window &h = window.h, &w = window.w;
  const bool one_run =
      w.kernel == 1 || (w.dilation == 1 && channels == pixel_stride);
  const int64_t q = row % w.out;
  if (!one_run || q + m > w.out || !Inside(w, q, q + m - 1)) return false;
  const int64_t p = row / w.out % h.out, n = row / w.out / h.out;
  if (!Inside(h, p, p)) return false;
  const int64_t line = n * h.in + p * h.stride - h.pad_before;
  in_place->offset = (line * w.in + q * w.stride - w.pad_before) * pixel_stride;
  in_place->row_stride = w.stride * pixel_stride;
  in_place->k = w.kernel * channels;
  in_place->segments = h.kernel;
  in_place->segment_stride = h.dilation * w.in * pixel_stride;
  return true;
}

bool Patches::CopyWindows(const void* x, size_t element_bytes, int64_t row,
                          int64_t m, void* to, InPlace* in_place) const {
  return WithElement(element_bytes, [&](auto element) {
    using T = decltype(element);
    return CopyWindowsOf(*this, static_cast<const T*>(x), row, m,
                         static_cast<T*>(to), in_place);
  });
}

void Patches::Copy(const void* x, size_t element_bytes, int64_t row, int64_t m,
                   int64_t k0, int64_t k1, void* to, int64_t to_stride) const {
  WithElement(element_bytes, [&](auto element) {
    using T = decltype(element);
    CopyRows(*this, static_cast<const T*>(x), row, m, k0, k1,
             static_cast<T*>(to), to_stride);
  });
}

}  // namespace mace::cpu
