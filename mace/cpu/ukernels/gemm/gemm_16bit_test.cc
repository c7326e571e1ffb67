// Every GEMM micro-kernel with 16-bit operands and f32 results that this CPU
// can run, against the definition and against the scalar micro-kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_16bit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/testing/pack_rows.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"
#include "mace/cpu/ukernels/testing/scalar_gemm.h"

namespace mace::cpu {
namespace {

struct Case {
  int m, n, k, segments;
  bool add = false, bias = true;  // addend is c
};

// One of the two 16-bit types.
struct Type {
  GemmTypes types;
  uint16_t (*round)(float);
  float (*widen)(uint16_t);
  // For sums of some hundred products below 1. For f16 it allows for a random
  // walk of 128 roundings by up to 2^-9, of partial sums below 4.
  double tolerance;
  bool exact;  // every micro-kernel agrees with the scalar one bitwise

  const GemmUkernel& scalar() const { return *ScalarGemm(kGemm, types); }
};
#if defined(__x86_64__)
constexpr bool kSameBf16 = true;
#else
constexpr bool kSameBf16 = false;
#endif
const Type kBf16 = {kGemmBf16, ToBfloat16, FromBfloat16, 1e-5, kSameBf16};
const Type kF16 = {kGemmF16, ToFp16, FromFp16, 5e-2, true};

size_t RoundUp(size_t x, size_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

// Packs [depth, n] floats as one panel of b.
std::vector<uint16_t> PackB(const Type& type, const GemmUkernel& kernel,
                            const std::vector<float>& b, size_t depth,
                            size_t n) {
  const size_t group = kernel.packing.group, nr = kernel.nr;
  std::vector<uint16_t> packed(RoundUp(depth, group) * nr);
  for (size_t k = 0; k < depth; ++k) {
    for (size_t j = 0; j < n; ++j) {
      packed[(k / group * nr + j) * group + k % group] =
          type.round(b[k * n + j]);
    }
  }
  return packed;
}

std::vector<float> Multiply(const Type& type, const GemmUkernel& kernel,
                            const Case& c, const std::vector<float>& a,
                            const std::vector<float>& b) {
  const int c_stride = c.n + 2;
  const size_t depth = static_cast<size_t>(c.k) * c.segments;
  const auto packed =
      PackedRows(kernel,
                 {static_cast<size_t>(c.m), static_cast<size_t>(c.k),
                  static_cast<size_t>(c.segments), 2, c.k + 3},
                 a.data());
  const auto bias = RandomFloats(c.n);
  auto got = RandomFloats(c.m * c_stride);
  const auto before = got;
  const auto packed_b = PackB(type, kernel, b, depth, c.n);
  kernel.fn({static_cast<size_t>(c.m), static_cast<size_t>(c.n), depth, 1,
             packed.data(), 0, 0, packed_b.data(), got.data(), c_stride,
             c.bias ? bias.data() : nullptr, c.add ? got.data() : nullptr,
             c_stride, -0.5f, 1.5f, true});
  for (int i = 0; i < c.m; ++i) {
    for (int j = c.n; j < c_stride; ++j) {
      EXPECT_EQ(got[i * c_stride + j], before[i * c_stride + j])
          << "wrote behind row " << i;
    }
  }
  return got;
}

// Computes the definition in double, from rounded operands.
std::vector<float> Expected(const Type& type, const Case& c,
                            const std::vector<float>& a,
                            const std::vector<float>& b) {
  const auto bias = RandomFloats(c.n);
  auto y = RandomFloats(c.m * (c.n + 2));
  const auto round = [&](float x) { return double{type.widen(type.round(x))}; };
  for (int i = 0; i < c.m; ++i) {
    for (int j = 0; j < c.n; ++j) {
      float& out = y[i * (c.n + 2) + j];
      double sum = (c.add ? out : 0) + (c.bias ? bias[j] : 0);
      for (int k = 0; k < c.k * c.segments; ++k) {
        sum += round(a[i * 2 + k / c.k * (c.k + 3) + k % c.k]) *
               round(b[k * c.n + j]);
      }
      out = static_cast<float>(std::fmin(std::fmax(sum, -0.5), 1.5));
    }
  }
  return y;
}

void Check(const Type& type, const GemmUkernel& kernel, const Case& c) {
  const auto a =
      RandomFloats((c.m - 1) * 2 + (c.segments - 1) * (c.k + 3) + c.k);
  const auto b = RandomFloats(c.segments * c.k * c.n);
  const auto got = Multiply(type, kernel, c, a, b);
  const auto want = Expected(type, c, a, b);
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], type.tolerance) << "element " << i;
  }
  if (!type.exact || c.n > type.scalar().nr) return;
  const auto same = Multiply(type, type.scalar(), c, a, b);
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], same[i]) << "element " << i;
  }
}

template <typename F>
void ForEach(const F& f) {
  for (const Type* type : {&kBf16, &kF16}) {
    for (const GemmUkernel& kernel : kGemm) {
      if (!(kernel.types == type->types) || !RunsHere(kernel)) continue;
      SCOPED_TRACE(kernel.name);
      f(*type, kernel);
    }
  }
}

TEST(Gemm16Bit, EverySize) {
  ForEach([](const Type& type, const GemmUkernel& kernel) {
    for (int m = 1; m <= kernel.mr; ++m) {
      for (int n = 1; n <= kernel.nr; ++n) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        Check(type, kernel, {m, n, 7, 2});
      }
    }
  });
}

TEST(Gemm16Bit, ManyTiles) {
  ForEach([](const Type& type, const GemmUkernel& kernel) {
    for (const int m : {3 * kernel.mr, 3 * kernel.mr + 1}) {
      Check(type, kernel, {m, kernel.nr, 40, 1});
      Check(type, kernel, {m, kernel.nr, 2 * kF16Block + 21, 1, true});
      Check(type, kernel, {m, kernel.nr - 1, 11, 3, true});
    }
  });
}

TEST(Gemm16Bit, EveryDepth) {
  ForEach([](const Type& type, const GemmUkernel& kernel) {
    for (int k = 1; k <= 70; ++k) {
      for (int segments : {1, 3}) {
        Check(type, kernel, {kernel.mr, kernel.nr, k, segments, false, false});
        Check(type, kernel, {3, 3, k, segments, true, true});
      }
    }
  });
}

// Values whose rounding depends on the order of operations, and values that
// overflow, are NaN or are subnormal.
TEST(Gemm16Bit, Bf16RoundsAsDefined) {
  if (!kSameBf16) GTEST_SKIP() << "this CPU: BFMMLA rounds otherwise";
  const std::vector<float> values = {
      1,        0x1.01p0f, 0x1.03p0f, -0x1.018p-7f, 3e38f,     -3e38f,   NAN,
      INFINITY, 0x1p-126f, 0x1p-130f, 0x1.fep-1f,   -0x1p-65f, 0x1p-64f, 0};
  const int n = static_cast<int>(values.size());
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmBf16) || !RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int i = 0; i < n * n * n; ++i) {
      const std::vector<float> a = {values[i % n], values[i / n % n]};
      const std::vector<float> b = {values[i / n / n], 0x1.fep-1f};
      const Case c = {1, 1, 2, 1};
      const float got = Multiply(kBf16, kernel, c, a, b)[0];
      const float want = Multiply(kBf16, kBf16.scalar(), c, a, b)[0];
      ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
          << a[0] << " * " << b[0] << " + " << a[1] << " * " << b[1] << ": got "
          << got << ", want " << want;
    }
  }
}

}  // namespace
}  // namespace mace::cpu
