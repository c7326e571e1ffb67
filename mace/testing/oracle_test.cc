// Kernels of the CPU against Eigen in double, on sizes for which there are no
// literal values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/oracle.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "mace/testing/check_op.h"
#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

std::vector<float> FloatsOf(const TestTensor& t) {
  return {t.f32(), t.f32() + NumElements(t.type.shape)};
}

// The scalar reference, and each set of micro-kernels of this CPU.
std::vector<CpuOptions> Ways() {
  std::vector<CpuOptions> ways = {{1, 0, true}};
  for (const CpuFeatures features :
       {CpuFeatures{0}, CpuFeatures{kCpuAvx2Fma}, DetectCpuFeatures()}) {
    if ((features & DetectCpuFeatures()) != features) continue;
    ways.push_back({2, features, false});
  }
  return ways;
}

// With products as the definition adds them up: neither Winograd's nor
// Strassen's methods, whose errors are larger.
void CheckSums(const OpCase& c, const Sums& want, int64_t k) {
  for (CpuOptions way : Ways()) {
    SCOPED_TRACE(way.reference ? "reference" : ToString(way.features));
    way.max_winograd = 0;
    const auto got = RunOn(c, way);
    ASSERT_EQ(got.size(), 1u);
    ASSERT_EQ(NumElements(got[0].type.shape),
              static_cast<int64_t>(want.values.size()));
    ExpectRounded(got[0].f32(), want, k);
  }
}

void Append(const Sums& more, Sums* all) {
  all->values.insert(all->values.end(), more.values.begin(), more.values.end());
  all->magnitudes.insert(all->magnitudes.end(), more.magnitudes.begin(),
                         more.magnitudes.end());
}

TEST(Oracle, MatMul) {
  const int64_t batch = 2;
  for (const auto& [m, k, n] :
       std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                           {3, 17, 5},
                                           {37, 64, 33},
                                           {65, 515, 70},
                                           {1, 2048, 130}}) {
    for (const int64_t ta : {0, 1}) {
      for (const int64_t tb : {0, 1}) {
        SCOPED_TRACE(ToString(Shape{m, k, n, ta, tb}));
        const auto a =
            RandomF32(ta ? Shape{batch, k, m} : Shape{batch, m, k}, 1);
        const auto b =
            RandomF32(tb ? Shape{batch, n, k} : Shape{batch, k, n}, 2);
        Sums want;
        for (int64_t i = 0; i < batch; ++i) {
          Append(MatrixProduct(m, n, k, a.f32() + i * m * k, ta != 0,
                               b.f32() + i * k * n, tb != 0),
                 &want);
        }
        const AttrMap attrs = {{"transpose_a", ta}, {"transpose_b", tb}};
        CheckSums({"MatMul", attrs, {a, b}}, want, k);
        CheckSums({"MatMul", attrs, {a, Const(b)}}, want, k);
      }
    }
  }
}

TEST(Oracle, Conv2d) {
  cpu::ConvShape s;
  s.batch = 2;
  s.in_channels = 19;
  s.out_channels = 35;
  for (const auto& [size, kernel, stride, dilation] :
       std::vector<std::array<int64_t, 4>>{{14, 1, 1, 1},
                                           {13, 3, 1, 1},
                                           {13, 3, 2, 1},
                                           {15, 5, 1, 2},
                                           {15, 7, 3, 1}}) {
    SCOPED_TRACE(ToString(Shape{size, kernel, stride, dilation}));
    for (Window* w : {&s.window.h, &s.window.w}) {
      w->in = size;
      w->kernel = kernel;
      w->stride = stride;
      w->dilation = dilation;
      w->pad_before = w->pad_after = kernel / 2;
      w->out = (size + kernel / 2 * 2 - w->extent()) / stride + 1;
    }
    const auto x = RandomF32({s.batch, size, size, s.in_channels}, 1);
    const auto w =
        RandomF32({s.out_channels, s.in_channels, kernel, kernel}, 2);
    const auto b = RandomF32({s.out_channels}, 3);
    using Ints = std::vector<int64_t>;
    const AttrMap attrs = {{"strides", Ints{stride, stride}},
                           {"dilations", Ints{dilation, dilation}},
                           {"padding", int64_t{4}},
                           {"padding_values", Ints(4, kernel / 2)}};
    CheckSums({"Conv2d", attrs, {x, Const(w), Const(b)}},
              Convolution(s, x.f32(), w.f32(), b.f32()),
              s.in_channels * kernel * kernel + 1);
  }
}

TEST(Oracle, Softmax) {
  for (const int64_t n : {1, 2, 7, 16, 65, 1001}) {
    for (const int64_t use_log : {0, 1}) {
      SCOPED_TRACE(ToString(Shape{n, use_log}));
      const auto x = RandomF32({5, n}, 1, -20, 20);
      CheckOp({"Softmax", {{"use_log", use_log}}, {x}},
              {F32({5, n}, SoftmaxOfRows(n, FloatsOf(x), use_log != 0))},
              1e-6f);
    }
  }
}

TEST(Oracle, LayerNorm) {
  for (const int64_t n : {2, 7, 64, 300, 1025}) {
    SCOPED_TRACE(n);
    // Far from zero, where a variance by the mean of squares would be wrong.
    const auto x = RandomF32({6, n}, 1, 99, 101);
    const auto scale = RandomF32({n}, 2), offset = RandomF32({n}, 3);
    CheckOp({"LayerNorm", {{"epsilon", 1e-5f}}, {x, scale, offset}},
            {F32({6, n}, LayerNormOfRows(n, FloatsOf(x), FloatsOf(scale),
                                         FloatsOf(offset), 1e-5f))},
            2e-5f);
  }
}

// So that the bound is one that a wrong product exceeds.
TEST(Oracle, OneWrongTermIsFound) {
  const int64_t k = 300;
  auto a = FloatsOf(RandomF32({1, k}, 1, 0.5f, 1));
  const auto b = FloatsOf(RandomF32({k, 1}, 2, 0.5f, 1));
  const Sums want = MatrixProduct(1, 1, k, a.data(), false, b.data(), false);
  float right = 0, wrong = 0;
  for (int64_t i = 0; i < k; ++i) {
    right += a[i] * b[i];
    if (i > 0) wrong += a[i] * b[i];
  }
  ExpectRounded(&right, want, k);
  EXPECT_NONFATAL_FAILURE(ExpectRounded(&wrong, want, k), "element 0: got");
}

}  // namespace
}  // namespace mace::testing
