// Every GEMM micro-kernel from fp16 to fp16 that this CPU can run against
// the definition, and to the bit against the scalar one.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/gemm/gemm_f16_rows_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"

namespace mace::cpu {
namespace {

using Fp16Values = std::vector<uint16_t>;

struct Case {
  size_t m, n, k;
  bool bias = true;
  enum Addend { kNone, kApart, kInPlace } addend = kNone;
  float lower = -0.5f, upper = 1.5f;
};

constexpr size_t kGap = 3;  // fp16 behind a row of c

Fp16Values RandomFp16(size_t n, float magnitude) {
  Fp16Values fp16;
  for (float x : RandomFloats(n, -magnitude, magnitude)) {
    fp16.push_back(ToFp16(x));
  }
  return fp16;
}

// What a case is computed from: a [m, k], b [k, n], c [m, n + kGap].
struct Inputs {
  explicit Inputs(const Case& c)
      : a(RandomFp16(c.m * c.k, 1)),
        b(RandomFp16(c.k * c.n + 1, 4.f / static_cast<float>(c.k))),
        bias(RandomFp16(c.n + 2, 1)),
        addend(RandomFp16(c.m * (c.n + kGap), 1)) {}
  Fp16Values a, b, bias, addend;
};

Fp16Values PackA(const Case& c, const GemmF16& kernel, const Fp16Values& a) {
  const size_t mr = kernel.tile.mr;
  const size_t steps = (c.k + kGemmF16Step - 1) / kGemmF16Step;
  Fp16Values packed(c.m * steps * kGemmF16Step, 0);
  for (size_t i = 0; i < c.m; ++i) {
    const size_t first = i / mr * mr, m = std::min(mr, c.m - first);
    for (size_t k = 0; k < c.k; ++k) {
      packed[first * steps * kGemmF16Step +
             (k / kGemmF16Step * m + i - first) * kGemmF16Step +
             k % kGemmF16Step] = a[i * c.k + k];
    }
  }
  return packed;
}

Fp16Values Multiply(const GemmF16& kernel, const Case& c) {
  const Inputs in(c);
  const size_t nr = kernel.tile.nr;
  Fp16Values b(c.k * nr), bias(nr), y(in.addend);
  for (size_t k = 0; k < c.k; ++k) {
    for (size_t j = 0; j < c.n; ++j) b[k * nr + j] = in.b[k * c.n + j];
  }
  std::copy_n(in.bias.begin(), c.n, bias.begin());
  const Fp16Values a = PackA(c, kernel, in.a);
  const uint16_t* addends[] = {nullptr, in.addend.data(), y.data()};
  const auto stride = static_cast<ptrdiff_t>(c.n + kGap);
  kernel.fn({c.m, c.n, c.k, a.data(), b.data(), y.data(), stride,
             c.bias ? bias.data() : nullptr, addends[c.addend], c.lower,
             c.upper});
  for (size_t i = 0; i < c.m; ++i) {
    for (size_t j = c.n; j < c.n + kGap; ++j) {
      const size_t at = i * (c.n + kGap) + j;
      EXPECT_EQ(y[at], in.addend[at]) << "wrote behind row " << i;
    }
  }
  return y;
}

// The definition, in double, and the bound of gemm_f16_rows.h.
void ExpectNear(const Case& c, const Fp16Values& y) {
  const Inputs in(c);
  const double roundings =
      kGemmF16Block + static_cast<double>(c.k) / kGemmF16Block + 10;
  for (size_t i = 0; i < c.m; ++i) {
    for (size_t j = 0; j < c.n; ++j) {
      const size_t at = i * (c.n + kGap) + j;
      double sum = c.bias ? FromFp16(in.bias[j]) : 0.;
      if (c.addend != Case::kNone) sum += FromFp16(in.addend[at]);
      double magnitude = std::fabs(sum);
      for (size_t k = 0; k < c.k; ++k) {
        const double product =
            double{FromFp16(in.a[i * c.k + k])} * FromFp16(in.b[k * c.n + j]);
        sum += product;
        magnitude += std::fabs(product);
      }
      const double want = std::fmin(std::fmax(sum, c.lower), c.upper);
      EXPECT_NEAR(FromFp16(y[at]), want, roundings * 0x1p-11 * magnitude)
          << "row " << i << ", column " << j;
    }
  }
}

void Check(const GemmF16& kernel, const Case& c) {
  SCOPED_TRACE("m " + std::to_string(c.m) + ", n " + std::to_string(c.n) +
               ", k " + std::to_string(c.k));
  const Fp16Values y = Multiply(kernel, c);
  ExpectNear(c, y);
  const GemmF16& scalar = *(std::end(kGemmF16Rows) - 1);
  if (&kernel == &scalar || c.n > static_cast<size_t>(scalar.tile.nr)) return;
  EXPECT_EQ(y, Multiply(scalar, c));
}

TEST(GemmF16, AllMicroKernels) {
  for (const GemmF16& kernel : kGemmF16Rows) {
    if ((kernel.tile.isa & DetectCpuFeatures()) != kernel.tile.isa) continue;
    SCOPED_TRACE(kernel.tile.name);
    for (size_t m = 1; m <= 20; ++m) {
      for (size_t n = 1; n <= static_cast<size_t>(kernel.tile.nr); ++n) {
        for (size_t k : {1, 8, 13}) Check(kernel, {m, n, k});
      }
    }
    for (size_t k : {255, 256, 257, 512, 600, 1024}) {
      for (size_t n :
           {size_t{1}, size_t{4}, static_cast<size_t>(kernel.tile.nr)}) {
        for (auto addend : {Case::kNone, Case::kApart, Case::kInPlace}) {
          Check(kernel, {11, n, k, true, addend});
          Check(kernel, {9, n, k, false, addend, -INFINITY, INFINITY});
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
