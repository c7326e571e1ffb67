// Calls every multiplying micro-kernel of this build on a typical tile, between
// two lines on stdout, so that instructions can be counted in between.
// SPDX-License-Identifier: Apache-2.0
//
// The lines are "NAME MULTIPLY-ADDS" and "end 0"; the first pair of them has
// nothing in between and measures the cost of a line.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"
#include "mace/cpu/ukernels/gemm/gemm_f32_table.h"
#include "mace/cpu/ukernels/gemm/gemm_half_table.h"
#include "mace/cpu/ukernels/gemv/gemv_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"

namespace mace::cpu {
namespace {

void Say(const char* name, size_t macs) {
  std::printf("%s %zu\n", name, macs);
  std::fflush(stdout);
}

// A tile of a pointwise layer of MobileNet, 256 channels deep, among 16 panels.
void CallGemm(const GemmF32& kernel) {
  const size_t k = 256, m = kernel.mr, n = kernel.nr;
  const auto a = RandomFloats(m * k), b = RandomFloats(k * n);
  const auto bias = RandomFloats(n);
  std::vector<float> c(m * n), packed(m * k);
  const auto stride = static_cast<ptrdiff_t>(k);
  const bool packs = kernel.pack != nullptr;
  const float* rows = packs ? packed.data() : a.data();
  const GemmF32Tile tile = {
      m,        n,         k,           1,       rows, stride, 0, b.data(),
      c.data(), kernel.nr, bias.data(), nullptr, 0,    0,      6, packs};
  Say(kernel.name, 16 * m * n * k);
  if (packs) kernel.pack({m, k, 1, a.data(), stride, 0}, packed.data());
  for (int i = 0; i < 16; ++i) kernel.fn(tile);
  Say("end", 0);
}

// Up to four outputs of a line of 128 channels, windows as high as wide.
void CallDwconv(const DwconvF32& kernel) {
  const size_t channels = 128;
  const int taps = kernel.kernel == 0 ? 9 : kernel.kernel;
  const int width = std::min(kernel.max_width, 4);
  const int columns =
      kernel.kernel == 0 ? 1 : (width - 1) * kernel.stride + taps;
  const auto pixel = RandomFloats(channels), bias = RandomFloats(channels);
  const std::vector<const float*> x(taps * columns, pixel.data());
  const int window = kernel.kernel == 0 ? taps : taps * taps;
  const auto w = RandomFloats(channels * window);
  std::vector<float> y(width * channels);
  const DwconvF32Tile tile = {channels,
                              static_cast<size_t>(width),
                              static_cast<size_t>(taps),
                              x.data(),
                              w.data(),
                              window * kernel.lanes,
                              bias.data(),
                              y.data(),
                              static_cast<ptrdiff_t>(channels),
                              0,
                              6};
  Say(kernel.name, 64 * width * channels * window);
  for (int i = 0; i < 64; ++i) kernel.fn(tile);
  Say("end", 0);
}

// A classifier's last layer.
void CallGemv(const GemvF32& kernel) {
  const size_t n = 100, k = 1024;
  const auto w = RandomFloats(n * k), x = RandomFloats(k);
  const auto bias = RandomFloats(n);
  std::vector<float> y(n);
  Say(kernel.name, n * k);
  kernel.fn({n, k, w.data(), x.data(), bias.data(), y.data(), -1e9f, 1e9f});
  Say("end", 0);
}

void CallAll() {
  Say("nothing", 0);
  Say("end", 0);
  for (const GemmF32& kernel : kGemmF32) CallGemm(kernel);
  for (const GemmF32& kernel : kGemmF16) CallGemm(kernel);
  for (const GemmF32& kernel : kGemmBf16) CallGemm(kernel);
  for (const DwconvF32& kernel : kDwconvF32) CallDwconv(kernel);
  for (const GemvF32& kernel : kGemvF32) CallGemv(kernel);
}

}  // namespace
}  // namespace mace::cpu

int main() { mace::cpu::CallAll(); }
