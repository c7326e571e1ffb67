// Compares Strassen products of every shape of operands with the sums of Eigen.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/strassen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/testing/check_op.h"
#include "mace/testing/oracle.h"

namespace mace::cpu {
namespace {

using testing::RandomF32;

ConvShape Pointwise(int64_t height, int64_t width, int64_t k, int64_t n) {
  ConvShape s;
  s.window.h.in = s.window.h.out = height;
  s.window.w.in = s.window.w.out = width;
  s.batch = 1;
  s.in_channels = k;
  s.out_channels = n;
  return s;
}

struct Inputs {
  std::vector<float> x, w, b, addend;
};

std::vector<float> RunStrassen(const ConvShape& s,
                               const ActivationFunction& activation,
                               const Inputs& inputs, int num_threads,
                               CpuFeatures features) {
  auto threads = std::move(*ThreadPool::Create(num_threads));
  CpuContext context;
  context.threads = threads.get();
  context.features = features;
  const ConvGemm::Spec spec =
      ConvSpec(s, activation, PlanConvGemm(Operand(), s, context).gemm);
  EXPECT_TRUE(StrassenGemm::Fits(spec, CacheSizes()));
  const StrassenGemm gemm(spec, context);
  const GemmB b = FilterMatrices(s, Oihw(s))[0];
  std::vector<float> packed(
      StrassenGemm::PackedFloats(*spec.kernel, b.n, b.k()));
  StrassenGemm::Pack(*spec.kernel, b, inputs.w.data(), packed.data(),
                     threads.get());
  auto scratch = std::move(*AlignedBuffer::Create(gemm.scratch_bytes()));
  std::vector<float> y(inputs.addend.size(), NAN);
  gemm.Run(threads.get(),
           {inputs.x.data(), packed.data(), inputs.b.data(), y.data(),
            inputs.addend.data()},
           scratch.data());
  return y;
}

std::vector<float> Random(const Shape& shape, uint64_t seed) {
  const auto tensor = RandomF32(shape, seed);
  return {tensor.f32(), tensor.f32() + NumElements(shape)};
}

void Check(const ConvShape& s, ActivationKind kind) {
  const int64_t outputs =
      s.batch * s.window.h.out * s.window.w.out * s.out_channels;
  const Inputs inputs = {
      Random({s.batch, s.window.h.in, s.window.w.in, s.in_channels}, 1),
      Random(
          {s.out_channels, s.in_channels, s.window.h.kernel, s.window.w.kernel},
          2),
      Random({s.out_channels}, 3), Random({outputs}, 4)};
  ActivationFunction activation;
  activation.kind = kind;
  std::vector<double> want =
      testing::Convolution(s, inputs.x.data(), inputs.w.data(), inputs.b.data())
          .values;
  ASSERT_EQ(want.size(), inputs.addend.size());
  double largest = 0;
  for (int64_t i = 0; i < outputs; ++i) {
    want[i] = ReferenceActivation(activation, want[i]) + inputs.addend[i];
    largest = std::fmax(largest, std::fabs(want[i]));
  }
  for (CpuFeatures features :
       {0u, uint32_t{kCpuAvx2Fma}, DetectCpuFeatures()}) {
    if ((features & DetectCpuFeatures()) != features) continue;
    SCOPED_TRACE(ToString(features));
    const auto y = RunStrassen(s, activation, inputs, 1, features);
    for (int64_t i = 0; i < outputs; ++i) {
      ASSERT_NEAR(y[i], want[i], 2e-6 * largest) << "element " << i;
    }
    for (int threads : {2, 3}) {
      EXPECT_EQ(y, RunStrassen(s, activation, inputs, threads, features));
    }
  }
}

TEST(Strassen, EverySize) {
  for (int64_t rows : {2, 3, 7, 28, 33, 200}) {
    for (int64_t k : {2, 34, 512}) {
      for (int64_t n : {2, 62, 130}) {
        SCOPED_TRACE(ToString(mace::Shape{rows, k, n}));
        Check(Pointwise(rows, 1, k, n), ActivationKind::kRelu);
      }
    }
  }
}

TEST(Strassen, Windows) {
  ConvShape s = Pointwise(9, 11, 6, 34);
  s.batch = 2;
  s.window.h.kernel = 3;
  s.window.h.stride = 2;
  s.window.h.pad_before = 1;
  s.window.h.out = 5;
  for (ActivationKind kind : {ActivationKind::kNoop, ActivationKind::kTanh}) {
    Check(s, kind);
  }
}

// A row with an outlier leaves other rows alone, and all outputs of its own
// have what its other elements add.
TEST(Strassen, OutliersStayInTheirRows) {
  for (const float value : {1e4f, -1e6f, INFINITY, -INFINITY, NAN}) {
    for (const int64_t row : {0, 16, 17, 33}) {
      SCOPED_TRACE(std::to_string(value) + " in row " + std::to_string(row));
      const ConvShape s = Pointwise(34, 1, 128, 96);
      Inputs inputs = {Random({34, 128}, 1), Random({96, 128}, 2),
                       Random({96}, 3), std::vector<float>(34 * 96)};
      inputs.x[row * 128 + 70] = value;
      const std::vector<double> want =
          testing::Convolution(s, inputs.x.data(), inputs.w.data(),
                               inputs.b.data())
              .values;
      for (CpuFeatures features :
           {0u, uint32_t{kCpuAvx2Fma}, DetectCpuFeatures()}) {
        if ((features & DetectCpuFeatures()) != features) continue;
        SCOPED_TRACE(ToString(features));
        const auto y = RunStrassen(s, {}, inputs, 1, features);
        for (size_t i = 0; i < y.size(); ++i) {
          if (!std::isfinite(want[i])) {
            ASSERT_EQ(std::isnan(y[i]), std::isnan(want[i])) << i;
            ASSERT_EQ(std::isinf(y[i]) && y[i] > 0, want[i] > 0) << i;
            continue;
          }
          ASSERT_NEAR(y[i], want[i], 2e-6 * std::fmax(20, std::fabs(want[i])))
              << "element " << i;
        }
        const auto other = RunStrassen(s, {}, inputs, 3, features);
        EXPECT_EQ(std::memcmp(y.data(), other.data(), 4 * y.size()), 0);
      }
    }
  }
}

TEST(Strassen, NotOfOddDepthOrColumns) {
  auto threads = std::move(*ThreadPool::Create(1));
  CpuContext context;
  context.threads = threads.get();
  const auto fits = [&](const ConvShape& s) {
    return StrassenGemm::Fits(
        ConvSpec(s, {}, PlanConvGemm(Operand(), s, context).gemm),
        context.caches);
  };
  EXPECT_TRUE(fits(Pointwise(7, 7, 64, 64)));
  EXPECT_FALSE(fits(Pointwise(7, 7, 63, 64)));
  EXPECT_FALSE(fits(Pointwise(7, 7, 64, 63)));
}

}  // namespace
}  // namespace mace::cpu
