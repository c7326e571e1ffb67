// Every GEMM micro-kernel from fp16 to fp16 that this CPU can run, against the
// definition, and bitwise against the scalar micro-kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"

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

using Fp16Values = std::vector<uint16_t>;

struct Case {
  size_t m, n, k;
  bool bias = true;
  enum Addend { kNone, kApart, kInPlace } addend = kNone;
  float lower = -0.5f, upper = 1.5f;
  size_t segments = 1;  // into which k is divided
};

constexpr size_t kGap = 3;  // elements after each row of c

Fp16Values RandomFp16(size_t n, float magnitude) {
  Fp16Values fp16;
  for (float x : RandomFloats(n, -magnitude, magnitude)) {
    fp16.push_back(ToFp16(x));
  }
  return fp16;
}

// The inputs of a case: a [m, k], b [k, n], c [m, n + kGap].
struct Inputs {
  explicit Inputs(const Case& c)
      : a(RandomFp16(c.m * c.k, 1)),
        b(RandomFp16(c.k * c.n + 1, 4.f / static_cast<float>(c.k))),
        bias(RandomFp16(c.n + 2, 1)),
        addend(RandomFp16(c.m * (c.n + kGap), 1)) {}
  Fp16Values a, b, bias, addend;
};

Fp16Values Multiply(const GemmUkernel& kernel, const Case& c) {
  const Inputs in(c);
  const size_t nr = kernel.nr;
  Fp16Values b(c.k * nr), bias(c.n), y(in.addend);
  for (size_t k = 0; k < c.k; ++k) {
    for (size_t j = 0; j < c.n; ++j) b[k * nr + j] = in.b[k * c.n + j];
  }
  std::copy_n(in.bias.begin(), c.n, bias.begin());
  const auto a = PackedRows(
      kernel,
      {c.m, c.k / c.segments, c.segments, static_cast<ptrdiff_t>(c.k),
       static_cast<ptrdiff_t>(c.k / c.segments)},
      in.a.data());
  const uint16_t* addends[] = {nullptr, in.addend.data(), y.data()};
  const auto stride = static_cast<ptrdiff_t>(c.n + kGap);
  kernel.fn({c.m, c.n, c.k, 1, a.data(), 0, 0, b.data(), y.data(), stride,
             c.bias ? bias.data() : nullptr, addends[c.addend], stride, c.lower,
             c.upper, true});
  for (size_t i = 0; i < c.m; ++i) {
    for (size_t j = c.n; j < c.n + kGap; ++j) {
      const size_t at = i * (c.n + kGap) + j;
      EXPECT_EQ(y[at], in.addend[at]) << "wrote behind row " << i;
    }
  }
  return y;
}

// Compares with the definition in double, within the bound of gemm_f16_rows.h.
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

void Check(const GemmUkernel& kernel, const Case& c) {
  SCOPED_TRACE("m " + std::to_string(c.m) + ", n " + std::to_string(c.n) +
               ", k " + std::to_string(c.k));
  const Fp16Values y = Multiply(kernel, c);
  ExpectNear(c, y);
  const GemmUkernel& scalar = *ScalarGemm(kGemm, kGemmF16Rows);
  if (&kernel == &scalar || c.n > static_cast<size_t>(scalar.nr)) return;
  EXPECT_EQ(y, Multiply(scalar, c));
}

TEST(GemmF16, AllMicroKernels) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmF16Rows) || !RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (size_t m = 1; m <= 20; ++m) {
      for (size_t n = 1; n <= static_cast<size_t>(kernel.nr); ++n) {
        for (size_t k : {1, 8, 13}) Check(kernel, {m, n, k});
        // Segments of whole steps, and steps that span several segments.
        for (size_t k : {9, 27, 33}) {
          Check(kernel, {m, n, k, true, Case::kNone, -0.5f, 1.5f, 3});
        }
      }
    }
    for (size_t k : {255, 256, 257, 512, 600, 1024}) {
      for (size_t n : {size_t{1}, size_t{4}, static_cast<size_t>(kernel.nr)}) {
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
