// ConvGemm computes int8 convolutions with int32 sums exactly.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/conv/conv_gemm.h"
#include "mace/cpu/conv/conv_kernel.h"

namespace mace::cpu {
namespace {

std::vector<int8_t> RandomBytes(int64_t n, uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_int_distribution<int> all(-128, 127);
  std::vector<int8_t> bytes(n);
  for (int8_t& byte : bytes) byte = static_cast<int8_t>(all(random));
  return bytes;
}

struct Inputs {
  std::vector<int8_t> x, w;
  std::vector<int32_t> bias, addend;
};

Inputs MakeInputs(const ConvShape& s) {
  const int64_t outputs = s.rows() * s.out_channels;
  Inputs in;
  in.x =
      RandomBytes(s.batch * s.window.h.in * s.window.w.in * s.in_channels, 1);
  in.w = RandomBytes(s.out_channels * s.in_per_group() * s.taps(), 2);
  for (int64_t i = 0; i < s.out_channels; ++i) in.bias.push_back(1000 * i);
  for (int64_t i = 0; i < outputs; ++i) in.addend.push_back(-7 * i);
  return in;
}

// Returns output element (row, o) by the definition.
int32_t Expected(const ConvShape& s, const Inputs& in, int64_t row, int64_t o) {
  const Window &h = s.window.h, &w = s.window.w;
  const int64_t q = row % w.out, p = row / w.out % h.out;
  const int64_t image = row / w.out / h.out;
  const int64_t group = o / s.out_per_group();
  int32_t sum = in.bias[o] + in.addend[row * s.out_channels + o];
  for (int64_t i = 0; i < h.kernel; ++i) {
    for (int64_t j = 0; j < w.kernel; ++j) {
      const int64_t y = p * h.stride - h.pad_before + i * h.dilation;
      const int64_t x = q * w.stride - w.pad_before + j * w.dilation;
      if (y < 0 || y >= h.in || x < 0 || x >= w.in) continue;
      for (int64_t c = 0; c < s.in_per_group(); ++c) {
        const int64_t pixel = (image * h.in + y) * w.in + x;
        sum += in.x[pixel * s.in_channels + group * s.in_per_group() + c] *
               in.w[((o * s.in_per_group() + c) * h.kernel + i) * w.kernel + j];
      }
    }
  }
  return sum;
}

std::vector<int32_t> RunGemm(const ConvShape& s, const Inputs& in,
                             const CpuContext& context) {
  GemmPlan plan;
  plan.kernel = &BestGemm(kGemmI8, context.features);
  ConvGemm::Spec spec = ConvSpec(s, {}, plan);
  const std::vector<GemmB> matrices = FilterMatrices(s, Oihw(s));
  const int64_t panel =
      PackedElements(*spec.kernel, matrices[0].n, matrices[0].k());
  std::vector<int8_t> b(panel * s.group);
  spec.parts.clear();
  for (int64_t g = 0; g < s.group; ++g) {
    PackB(*spec.kernel, matrices[g], in.w.data(), b.data() + g * panel,
          context.threads);
    spec.parts.push_back(
        {g * s.in_per_group(), g * panel, g * spec.n, g * spec.n});
  }
  const ConvGemm gemm(spec, context);
  auto scratch = std::move(*AlignedBuffer::Create(gemm.scratch_bytes()));
  std::vector<int32_t> y(in.addend.size(), -1);
  gemm.Run(context.threads,
           {in.x.data(), b.data(), in.bias.data(), y.data(), in.addend.data()},
           scratch.data());
  return y;
}

void Check(const ConvShape& s) {
  const Inputs in = MakeInputs(s);
  for (int num_threads : {1, 3}) {
    auto threads = std::move(*ThreadPool::Create(num_threads));
    CpuContext context;
    context.threads = threads.get();
    const auto y = RunGemm(s, in, context);
    for (int64_t row = 0; row < s.rows(); ++row) {
      for (int64_t o = 0; o < s.out_channels; ++o) {
        ASSERT_EQ(y[row * s.out_channels + o], Expected(s, in, row, o))
            << "row " << row << " channel " << o;
      }
    }
  }
}

Window Line(int64_t in, int64_t kernel, int64_t stride, int64_t pad,
            int64_t dilation = 1) {
  Window w;
  w.in = in;
  w.kernel = kernel;
  w.stride = stride;
  w.pad_before = pad;
  w.dilation = dilation;
  w.out = (in + 2 * pad - w.extent()) / stride + 1;
  return w;
}

ConvShape Shape(const Window& h, const Window& w, int64_t channels, int64_t n,
                int64_t group = 1) {
  ConvShape s;
  s.window.h = h;
  s.window.w = w;
  s.batch = 2;
  s.in_channels = channels;
  s.out_channels = n;
  s.group = group;
  return s;
}

TEST(ConvGemmI8, Windows) {
  for (int64_t channels : {1, 3, 4, 8, 20}) {
    for (int64_t n : {1, 4, 9}) {
      SCOPED_TRACE(std::to_string(channels) + " channels to " +
                   std::to_string(n));
      Check(Shape(Line(9, 3, 1, 1), Line(7, 3, 1, 1), channels, n));
      Check(Shape(Line(9, 3, 2, 1), Line(8, 5, 2, 2), channels, n));
      Check(Shape(Line(9, 2, 1, 0, 3), Line(8, 3, 1, 2, 2), channels, n));
      Check(Shape(Line(5, 1, 1, 0), Line(6, 1, 1, 0), channels, n));
    }
  }
}

TEST(ConvGemmI8, Groups) {
  Check(Shape(Line(6, 3, 1, 1), Line(6, 3, 1, 1), 12, 6, 3));
}

// Depths that are divided into several blocks.
TEST(ConvGemmI8, Deep) {
  Check(Shape(Line(3, 1, 1, 0), Line(4, 1, 1, 0), 2500, 5));
  Check(Shape(Line(4, 3, 1, 1), Line(5, 3, 1, 1), 130, 5));
  Check(Shape(Line(4, 3, 1, 1), Line(5, 3, 1, 1), 128, 5));
}

}  // namespace
}  // namespace mace::cpu
