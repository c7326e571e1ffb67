// The cases of depthwise and Winograd convolutions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/self_test/self_test.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"
#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8_table.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_table.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"

namespace mace::cpu {
namespace {

// A few outputs of a line.
struct DwconvWindow {
  size_t lanes, channels, kernel, height, stride, width, columns;

  size_t taps() const { return height * kernel; }
};
constexpr size_t kMaxDwconvWidth = 4, kMaxDwconvKernel = 7;
constexpr size_t kMaxDwconvPixels =
    kMaxDwconvKernel * ((kMaxDwconvWidth - 1) * 2 + kMaxDwconvKernel);
constexpr float kDwconvLimit = 90;

__attribute__((noinline)) DwconvWindow WindowOf(int lanes, int kernel,
                                                int stride, int max_width) {
  DwconvWindow w;
  w.lanes = static_cast<size_t>(lanes);
  w.channels = w.lanes + 3;
  w.kernel = kernel == 0 ? 1 : static_cast<size_t>(kernel);
  w.height = kernel == 0 ? 9 : w.kernel;
  w.stride = kernel == 0 ? 1 : static_cast<size_t>(stride);
  w.width = max_width < 4 ? static_cast<size_t>(max_width) : kMaxDwconvWidth;
  w.columns = (w.width - 1) * w.stride + w.kernel;
  return w;
}

bool DwconvOutputsAreRight(const DwconvWindow& w, Element type,
                           TestMemory& memory) {
  for (size_t i = 0; i < w.width * w.channels; ++i) {
    const size_t c = i % w.channels;
    float sum = Get(type, memory.in<void>(2), c);
    for (size_t tap = 0; tap < w.taps(); ++tap) {
      const size_t pixel = tap / w.kernel * w.columns +
                           i / w.channels * w.stride + tap % w.kernel;
      sum += Get(type, memory.in<void>(0), pixel * w.channels + c) *
             Get(type, memory.in<void>(1),
                 (c / w.lanes * w.taps() + tap) * w.lanes + c % w.lanes);
    }
    sum = sum < -kDwconvLimit ? -kDwconvLimit : sum;
    sum = sum > kDwconvLimit ? kDwconvLimit : sum;
    if (Get(type, memory.out<void>(), i) != sum) return false;
  }
  return true;
}

template <typename T>
bool DwconvIsRight(const Dwconv<T>& row, TestMemory& memory) {
  const DwconvWindow w =
      WindowOf(row.lanes, row.kernel, row.stride, row.max_width);
  const T* x[kMaxDwconvPixels];
  const T* pixel = memory.in<T>(0);
  for (const T*& at : x) {
    at = pixel;
    pixel += w.channels;
  }
  row.fn({w.channels, w.width, w.height, x, memory.in<T>(1),
          static_cast<ptrdiff_t>(w.taps() * w.lanes), memory.in<T>(2),
          memory.out<T>(), static_cast<ptrdiff_t>(w.channels), -kDwconvLimit,
          kDwconvLimit});
  return DwconvOutputsAreRight(w, ElementOf<T>(), memory);
}

// Winograd's F(M, 3) of each channel by itself, one more than a vector has.
void ComputeWinograd(const WinogradF32Set& set, size_t k, TestMemory& memory) {
  constexpr size_t kMaxIn = 8, kChannels = 17;
  constexpr ptrdiff_t kElement = 32;  // of v and u
  const size_t m = 2 * k + 2, in = m + 2;
  const float* const x = memory.in<float>(0);
  const float* const taps = memory.in<float>(1);
  WinogradLineF32 lines[kMaxIn];
  for (size_t i = 0; i < in; ++i)
    lines[i] = {x + i * in * kChannels, kChannels};
  float* const v = memory.in<float>(3);
  float* const u = memory.in<float>(4);
  set.input[k](
      {kChannels, 1, lines, 0, in, x, v, kElement, kElement, set.lanes});
  set.filter[k]({kChannels, taps, kChannels, u, kElement});
  for (size_t i = 0; i < in * in * kElement; ++i) v[i] *= u[i];
  set.output[k]({kChannels, 1, v, kElement, kElement, memory.in<float>(2),
                 memory.out<float>(), static_cast<ptrdiff_t>(m * kChannels),
                 kChannels, m, m, -200, 200});
  memory.Sum(Element::kF32, m * m * kChannels);
}

}  // namespace

bool SelfTest(const Dwconv<float>& row, TestMemory& memory) {
  return DwconvIsRight(row, memory);
}
bool SelfTest(const Dwconv<uint16_t>& row, TestMemory& memory) {
  return DwconvIsRight(row, memory);
}

bool SelfTest(const WinogradF32& row, TestMemory& memory) {
  for (size_t k = 0; k < 3; ++k) ComputeWinograd(*row.set, k, memory);
  constexpr float kSums[] = {741, 3201, 1988};
  return memory.Has(kSums);
}

// Two outputs of a window of 3 columns and 4 lines, all but 3 of the channels.
bool SelfTest(const DwconvQ8& row, TestMemory& memory) {
  constexpr size_t kMaxLanes = 64, kKernel = 3, kHeight = 4, kWidth = 2;
  constexpr size_t kColumns = kWidth + kKernel - 1;
  const auto lanes = static_cast<size_t>(row.lanes);
  const auto group = static_cast<size_t>(row.group);
  const size_t channels = lanes - 3;
  const Element w_type = row.w_bytes == 1 ? Element::kI8 : Element::kI16;
  const Element x_type = row.reads_unsigned ? Element::kU8 : Element::kI8;
  const auto* const pixels = memory.in<uint8_t>(0);
  const uint8_t* x[kColumns * kHeight];
  for (size_t i = 0; i < kColumns * kHeight; ++i) x[i] = pixels + i * kMaxLanes;
  const void* const w = memory.Fill(w_type, 1);
  const auto* const start = memory.Fill<int32_t>(2);
  auto* const sums = memory.out<int32_t>();
  row.fn({channels, kWidth, kHeight, kKernel, 1, 1, 1, x, kColumns, 0, 0, w,
          start, sums, memory.in<void>(3)});
  for (size_t i = 0; i < kWidth * channels; ++i) {
    const size_t c = i % channels, output = i / channels;
    auto sum = static_cast<float>(start[c]);
    for (size_t tap = 0; tap < kKernel * kHeight; ++tap) {
      const size_t line = tap % kHeight;
      sum += Get(x_type, x[output * kHeight + tap], c) *
             Get(w_type, w, (tap / group * lanes + c) * group + line % group);
    }
    if (static_cast<float>(sums[output * lanes + c]) != sum) return false;
  }
  return true;
}

namespace {

// G as winograd_q8.h has it, and one filter for all channels.
constexpr int kWinogradQ8G[6][3] = {{1, 0, 0}, {1, 1, 1},  {1, -1, 1},
                                    {1, 2, 4}, {1, -2, 4}, {0, 0, 1}};
constexpr int kWinogradQ8Taps[9] = {127, -35, 8, -99, 51, 77, 14, -128, 62};

struct WinogradQ8Filter {
  int16_t u[kWinogradQ8Area];
};
constexpr WinogradQ8Filter TransformedTaps() {
  WinogradQ8Filter filter = {};
  for (size_t i = 0; i < kWinogradQ8Area; ++i) {
    int u = 0;
    for (size_t tap = 0; tap < 9; ++tap) {
      u += kWinogradQ8G[i / 6][tap / 3] * kWinogradQ8G[i % 6][tap % 3] *
           kWinogradQ8Taps[tap];
    }
    filter.u[i] = static_cast<int16_t>(u);
  }
  return filter;
}
constexpr WinogradQ8Filter kWinogradQ8Filter = TransformedTaps();

}  // namespace

// One tile. The rows of others in products are anything, as are later elements
// before their product is computed.
bool SelfTest(const WinogradQ8& row, TestMemory& memory) {
  constexpr size_t kChannels = 8;
  constexpr uint32_t kSum =
      4294761508;  // of the outputs of a column, times 1 to 16
  const auto nr = static_cast<size_t>(row.nr);
  const auto lanes = static_cast<size_t>(row.lanes);
  const auto* const pixels = memory.in<uint8_t>(0);
  const uint8_t* x[kWinogradQ8Area];
  for (size_t i = 0; i < kWinogradQ8Area; ++i) x[i] = pixels + i * kChannels;
  auto* const v = memory.in<int16_t>(1);
  auto* const b = memory.in<int16_t>(3);
  auto* const m = memory.in<int32_t>(4);
  row.set->input({kChannels, x, 0x80, v, lanes, lanes});
  for (size_t i = 0; i < kWinogradQ8Area; ++i) {
    for (size_t k = 0; k < kChannels * nr; ++k) b[k] = kWinogradQ8Filter.u[i];
    row.set->product({1, kChannels, v + i * lanes, b, m + i * nr});
  }
  const auto* const start = memory.Fill<int32_t>(2);
  auto* const sums = memory.out<int32_t>();
  row.set->output({1, m, nr, start, sums});
  for (size_t j = 0; j < nr; ++j) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 16; ++i) {
      sum += static_cast<uint32_t>(sums[i * nr + j] - start[j]) * (i + 1);
    }
    if (sum != kSum) return false;
  }
  return true;
}

}  // namespace mace::cpu
