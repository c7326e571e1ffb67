// Every activation micro-kernel that this CPU can run, against double
// precision, with the error bounds of mace/cpu/simd/math.h.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/cpu/ukernels/activate/activate_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Function {
  const char* name;
  ActivateF32Fn* ActivateF32Set::* fn;
  double (*of)(double x);
  double max_ulp;  // error of the result for |x| <= 80
};

// a = 0.5, b = 0.75
const Function kFunctions[] = {
    {"clamp", &ActivateF32Set::clamp,
     [](double x) { return std::fmin(std::fmax(x, 0.5), 0.75); }, 0},
    {"tanh", &ActivateF32Set::tanh, [](double x) { return std::tanh(x); }, 4},
    {"sigmoid", &ActivateF32Set::sigmoid,
     [](double x) { return 1 / (1 + std::exp(-x)); }, 4},
    {"leaky_relu", &ActivateF32Set::leaky_relu,
     [](double x) { return x < 0 ? 0.5 * x : x; }, 0.5},
    {"elu", &ActivateF32Set::elu,
     [](double x) { return 0.75 * (x < 0 ? 0.5 * std::expm1(x) : x); }, 4},
    {"hard_sigmoid", &ActivateF32Set::hard_sigmoid,
     [](double x) { return std::fmin(std::fmax(0.5 * x + 0.75, 0), 1); }, 64},
    {"softplus", &ActivateF32Set::softplus,
     [](double x) { return std::log1p(std::exp(x)); }, 4},
    {"softsign", &ActivateF32Set::softsign,
     [](double x) { return x / (1 + std::fabs(x)); }, 2},
    {"swish", &ActivateF32Set::swish,
     [](double x) { return x / (1 + std::exp(-0.5 * x)); }, 4},
};

// Returns the distance between neighbouring floats at `x`.
double UlpAt(double x) {
  const float f = static_cast<float>(std::fabs(x));
  return std::nextafter(f, INFINITY) - f;
}

double MaxUlp(const Function& function, const ActivateF32Set& set,
              float range) {
  const auto x = RandomFloats(10007, -range, range);
  std::vector<float> y(x.size());
  (set.*function.fn)({x.size(), x.data(), y.data(), 0.5f, 0.75f});
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = function.of(x[i]);
    worst = std::fmax(worst, std::fabs(y[i] - want) / UlpAt(want));
  }
  return worst;
}

TEST(ActivateF32, ErrorBounds) {
  for (const ActivateF32& kernel : kActivateF32) {
    if (!RunsHere(kernel)) continue;
    for (const Function& function : kFunctions) {
      for (float range : {1e-4f, 0.5f, 3.f, 20.f, 80.f}) {
        EXPECT_LE(MaxUlp(function, *kernel.set, range), function.max_ulp)
            << kernel.name << " " << function.name << " up to " << range;
      }
    }
  }
}

TEST(ActivateF32, GeluErrorBound) {
  const auto x = RandomFloats(100003, -8, 8);
  std::vector<float> y(x.size());
  for (const ActivateF32& kernel : kActivateF32) {
    if (!RunsHere(kernel)) continue;
    kernel.set->gelu({x.size(), x.data(), y.data(), 0, 0});
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = x[i];
      const double want = v * 0.5 * std::erfc(-v * std::sqrt(0.5));
      ASSERT_NEAR(y[i], want, 4e-7 * (1 + v * v) * std::fabs(want))
          << kernel.name << " at " << v;
    }
  }
}

// By its formula by tanh, whose constants the caller gives.
TEST(ActivateF32, GeluTanhErrorBound) {
  const float a = 2 * std::sqrt(2 / M_PI), b = a * 0.044715;
  const auto x = RandomFloats(100003, -8, 8);
  std::vector<float> y(x.size());
  for (const ActivateF32& kernel : kActivateF32) {
    if (!RunsHere(kernel)) continue;
    kernel.set->gelu_tanh({x.size(), x.data(), y.data(), a, b});
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = x[i];
      const double z = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
      const double want = v / (1 + std::exp(-2 * z));
      ASSERT_NEAR(y[i], want, 4e-7 * (1 + std::fabs(z)) * std::fabs(want))
          << kernel.name << " at " << v;
    }
  }
}

// x min(max(a x + b, 0), 1). Where a x + b is near 0, its rounding errors
// count.
TEST(ActivateF32, HardSwishErrorBound) {
  const float a = 1.f / 6, b = 0.5f;
  for (const float range : {1e-4f, 0.5f, 3.f, 20.f, 80.f}) {
    const auto x = RandomFloats(10007, -range, range);
    std::vector<float> y(x.size());
    for (const ActivateF32& kernel : kActivateF32) {
      if (!RunsHere(kernel)) continue;
      kernel.set->hard_swish({x.size(), x.data(), y.data(), a, b});
      for (size_t i = 0; i < x.size(); ++i) {
        const double v = x[i];
        const double want = v * std::fmin(std::fmax(v * a + b, 0), 1);
        ASSERT_NEAR(y[i], want, 0x1p-23 * (std::fabs(v) + std::fabs(want)))
            << kernel.name << " at " << v;
      }
    }
  }
}

TEST(ClampF32, IsThatOfTheWholeSet) {
  ASSERT_EQ(std::size(kClampF32), std::size(kActivateF32));
  for (size_t i = 0; i < std::size(kClampF32); ++i) {
    SCOPED_TRACE(kClampF32[i].name);
    RunsHere(kClampF32[i]);  // above, as the function is the same
    EXPECT_EQ(kClampF32[i].isa, kActivateF32[i].isa);
    EXPECT_EQ(*kClampF32[i].fn, kActivateF32[i].set->clamp);
  }
}

TEST(ActivateF32, EveryTailInPlace) {
  for (const ActivateF32& kernel : kActivateF32) {
    if (!RunsHere(kernel)) continue;
    for (size_t n = 0; n <= 35; ++n) {
      auto x = RandomFloats(n);
      const auto before = x;
      kernel.set->leaky_relu({n, x.data(), x.data(), 0.5f, 0});
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(x[i], before[i] < 0 ? before[i] / 2 : before[i]);
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
