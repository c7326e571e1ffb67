// Every binary micro-kernel of fp16 that this CPU can run.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "mace/base/denormals.h"
#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Function {
  BinaryF16Fn* BinaryF16Set::* fn;
  double (*of)(double, double);
};

const Function kFunctions[] = {
    {&BinaryF16Set::add, [](double a, double b) { return a + b; }},
    {&BinaryF16Set::subtract, [](double a, double b) { return a - b; }},
    {&BinaryF16Set::multiply, [](double a, double b) { return a * b; }},
    {&BinaryF16Set::squared_difference,
     [](double a, double b) { return (a - b) * (a - b); }},
};

std::vector<uint16_t> RandomFp16(size_t n, float lo, float hi) {
  std::vector<uint16_t> fp16;
  for (float x : RandomFloats(n, lo, hi)) fp16.push_back(ToFp16(x));
  return fp16;
}

void Check(const BinaryF16Set& set, size_t n, bool one_a, bool one_b,
           float lower, float upper) {
  const auto a = RandomFp16(one_a ? 1 : n, 0.5f, 2);
  const auto b = RandomFp16(one_b ? 1 : n, -2, -0.25f);
  for (const Function& function : kFunctions) {
    std::vector<uint16_t> y(n + 1, 0x1234);
    (set.*function.fn)(
        {n, a.data(), b.data(), one_a, one_b, y.data(), lower, upper});
    EXPECT_EQ(y[n], 0x1234) << "wrote beyond the end";
    for (size_t i = 0; i < n; ++i) {
      const double want =
          function.of(FromFp16(a[one_a ? 0 : i]), FromFp16(b[one_b ? 0 : i]));
      // A square doubles the rounding error of its difference and adds its own.
      ASSERT_NEAR(FromFp16(y[i]), std::fmin(std::fmax(want, lower), upper),
                  3 * 0x1p-11 * std::fmax(1, std::fabs(want)));
    }
  }
}

// fp16 values below 2^-14 are no denormal floats, which threads flush to zero.
TEST(BinaryF16, KeepsSmallValuesWhereDenormalsAreFlushed) {
  std::vector<uint16_t> x, zero = {0};
  for (int i = 1; i < 0x7c00; ++i) x.push_back(static_cast<uint16_t>(i));
  for (const BinaryF16& kernel : kBinaryF16) {
    if (!RunsHere(kernel)) continue;
    std::vector<uint16_t> y(x.size());
    std::thread([&] {
      const DenormalsOff denormals_off;
      kernel.set->add({x.size(), x.data(), zero.data(), false, true, y.data(),
                       -INFINITY, INFINITY});
    }).join();
    EXPECT_EQ(x, y) << kernel.name;
  }
}

TEST(BinaryF16, EveryTail) {
  for (const BinaryF16& kernel : kBinaryF16) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (size_t n = 1; n <= 70; ++n) {
      Check(*kernel.set, n, false, false, -3.5f, 3);
      Check(*kernel.set, n, false, false, -INFINITY, INFINITY);
      Check(*kernel.set, n, true, false, -3.5f, INFINITY);
      Check(*kernel.set, n, false, true, -INFINITY, 3);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
