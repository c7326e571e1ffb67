// Compares Winograd convolutions of every tile size with the sums of Eigen.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/winograd/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/testing/check_op.h"
#include "mace/testing/oracle.h"

namespace mace::cpu {
namespace {

using testing::RandomF32;

ConvShape Shape3x3(int64_t side, int64_t in_channels, int64_t out_channels) {
  ConvShape s;
  for (Window* w : {&s.window.h, &s.window.w}) {
    w->in = w->out = side;
    w->kernel = 3;
    w->stride = w->dilation = 1;
    w->pad_before = 1;
  }
  s.batch = 1;
  s.in_channels = in_channels;
  s.out_channels = out_channels;
  return s;
}

std::vector<float> RunWinograd(Winograd::Spec spec, const float* x,
                               const float* w, const float* b, int num_threads,
                               CpuFeatures features) {
  auto threads = std::move(*ThreadPool::Create(num_threads));
  CpuContext context;
  context.threads = threads.get();
  context.features = features;
  const Window2D& window = spec.shape.window;
  const int64_t tiles = spec.shape.batch * CeilDiv(window.h.out, spec.m) *
                        CeilDiv(window.w.out, spec.m);
  spec.gemm.kernel = &ChooseGemmF32({tiles}, context);
  const Winograd winograd(spec, context);
  auto packed = std::move(*AlignedBuffer::Create(winograd.packed_bytes()));
  auto scratch = std::move(*AlignedBuffer::Create(winograd.scratch_bytes()));
  winograd.Pack(w, static_cast<float*>(packed.data()));
  const ConvShape& s = spec.shape;
  std::vector<float> y(s.batch * s.window.h.out * s.window.w.out *
                       s.out_channels);
  winograd.Run(x, static_cast<float*>(packed.data()), b, y.data(),
               scratch.data());
  return y;
}

void Check(const ConvShape& s, ActivationKind activation) {
  const auto x =
      RandomF32({s.batch, s.window.h.in, s.window.w.in, s.in_channels}, 1);
  const auto w = RandomF32({s.out_channels, s.in_channels, 3, 3}, 2);
  const auto b = RandomF32({s.out_channels}, 3);
  ActivationFunction act;
  act.kind = activation;
  std::vector<double> want =
      testing::Convolution(s, x.f32(), w.f32(), b.f32()).values;
  double largest = 0;
  for (double& v : want) {
    v = ReferenceActivation(act, v);
    largest = std::fmax(largest, std::fabs(v));
  }
  for (CpuFeatures features :
       {0u, uint32_t{kCpuAvx2Fma}, DetectCpuFeatures()}) {
    if ((features & DetectCpuFeatures()) != features) continue;
    for (int m : {2, 4, 6}) {
      SCOPED_TRACE(ToString(features) + " F(" + std::to_string(m) + ", 3)");
      const double bound = m == 2 ? 1e-6 : m == 4 ? 5e-6 : 2e-5;
      const Winograd::Spec spec = {m, s, act, {}};
      const auto y = RunWinograd(spec, x.f32(), w.f32(), b.f32(), 1, features);
      ASSERT_EQ(y.size(), want.size());
      for (size_t i = 0; i < y.size(); ++i) {
        ASSERT_NEAR(y[i], want[i], bound * largest) << "element " << i;
      }
      EXPECT_EQ(y, RunWinograd(spec, x.f32(), w.f32(), b.f32(), 2, features));
    }
  }
}

TEST(Winograd, EverySize) {
  for (int64_t side : {1, 2, 5, 8, 13}) {
    for (int64_t channels : {1, 3, 20}) {
      SCOPED_TRACE(std::to_string(side) + "x" + std::to_string(channels));
      Check(Shape3x3(side, channels, 37), ActivationKind::kRelu);
    }
  }
}

TEST(Winograd, BatchesPaddingsAndActivations) {
  ConvShape s = Shape3x3(9, 5, 3);
  s.batch = 3;
  s.window.h.pad_before = 0;
  s.window.h.out = 7;
  s.window.w.pad_before = 2;
  s.window.w.out = 11;
  for (ActivationKind kind : {ActivationKind::kNoop, ActivationKind::kTanh}) {
    Check(s, kind);
  }
}

// A single input of this value leaves all pixels alone that it does not reach,
// and those that it reaches are as exact as any.
void CheckOutlier(float value, int64_t at) {
  const ConvShape s = Shape3x3(13, 20, 37);
  const auto random = RandomF32({1, 13, 13, 20}, 1);
  std::vector<float> x(random.f32(), random.f32() + 13 * 13 * 20);
  x[at] = value;
  const auto w = RandomF32({37, 20, 3, 3}, 2);
  const std::vector<double> want =
      testing::Convolution(s, x.data(), w.f32(), nullptr).values;
  for (CpuFeatures features :
       {0u, uint32_t{kCpuAvx2Fma}, DetectCpuFeatures()}) {
    if ((features & DetectCpuFeatures()) != features) continue;
    for (int m : {2, 4, 6}) {
      SCOPED_TRACE(ToString(features) + " F(" + std::to_string(m) + ", 3)");
      const Winograd::Spec spec = {m, s, {}, {}};
      const auto y = RunWinograd(spec, x.data(), w.f32(), nullptr, 1, features);
      for (size_t i = 0; i < y.size(); ++i) {
        if (!std::isfinite(want[i])) {
          ASSERT_EQ(std::isnan(y[i]), std::isnan(want[i])) << "element " << i;
          ASSERT_EQ(std::isinf(y[i]) && y[i] > 0, want[i] > 0) << i;
          continue;
        }
        // 180 terms of up to 1, or one that exceeds all others.
        ASSERT_NEAR(y[i], want[i], 1e-5 * std::fmax(10, std::fabs(want[i])))
            << "element " << i;
      }
      EXPECT_EQ(
          std::memcmp(
              y.data(),
              RunWinograd(spec, x.data(), w.f32(), nullptr, 3, features).data(),
              y.size() * sizeof(float)),
          0);
    }
  }
}

TEST(Winograd, OutliersStayInTheirWindows) {
  for (const float value : {1e4f, -1e6f, 3e30f, INFINITY, -INFINITY, NAN}) {
    for (const int64_t pixel : {0, 6 * 13 + 6, 4 * 13 + 7, 13 * 13 - 1}) {
      SCOPED_TRACE(std::to_string(value) + " at " + std::to_string(pixel));
      CheckOutlier(value, pixel * 20 + 3);
    }
  }
}

TEST(Winograd, OnlyForStride1Of3x3) {
  ConvShape s = Shape3x3(8, 4, 4);
  EXPECT_TRUE(Winograd::Fits(s));
  s.window.w.stride = 2;
  EXPECT_FALSE(Winograd::Fits(s));
  s = Shape3x3(8, 4, 4);
  s.group = 2;
  EXPECT_FALSE(Winograd::Fits(s));
  s = Shape3x3(8, 4, 4);
  s.window.h.kernel = 5;
  EXPECT_FALSE(Winograd::Fits(s));
}

}  // namespace
}  // namespace mace::cpu
