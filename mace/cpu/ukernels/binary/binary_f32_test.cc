// Every binary micro-kernel that this CPU can run.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "mace/cpu/ukernels/binary/binary_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Function {
  BinaryF32Fn* BinaryF32Set::* fn;
  double (*of)(double, double);
};

const Function kFunctions[] = {
    {&BinaryF32Set::add, [](double a, double b) { return a + b; }},
    {&BinaryF32Set::subtract, [](double a, double b) { return a - b; }},
    {&BinaryF32Set::multiply, [](double a, double b) { return a * b; }},
    {&BinaryF32Set::divide, [](double a, double b) { return a / b; }},
    {&BinaryF32Set::min, [](double a, double b) { return std::fmin(a, b); }},
    {&BinaryF32Set::max, [](double a, double b) { return std::fmax(a, b); }},
    {&BinaryF32Set::squared_difference,
     [](double a, double b) { return (a - b) * (a - b); }},
};

void Check(const BinaryF32Set& set, size_t n, bool one_a, bool one_b,
           float lower, float upper) {
  const auto a = RandomFloats(one_a ? 1 : n, 0.5f, 2);
  const auto b = RandomFloats(one_b ? 1 : n, -2, -0.25f);
  for (const Function& function : kFunctions) {
    std::vector<float> y(n);
    (set.*function.fn)(
        {n, a.data(), b.data(), one_a, one_b, y.data(), lower, upper});
    for (size_t i = 0; i < n; ++i) {
      const double want = function.of(a[one_a ? 0 : i], b[one_b ? 0 : i]);
      ASSERT_NEAR(y[i], std::fmin(std::fmax(want, lower), upper),
                  1e-6 * std::fmax(1, std::fabs(want)));
    }
  }
}

TEST(BinaryF32, EveryTail) {
  for (const BinaryF32& kernel : kBinaryF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (size_t n = 1; n <= 150; ++n) {
      Check(*kernel.set, n, false, false, -3.5f, 3);
      Check(*kernel.set, n, false, false, -INFINITY, INFINITY);
      Check(*kernel.set, n, true, false, -3.5f, INFINITY);
      Check(*kernel.set, n, false, true, -INFINITY, 3);
    }
  }
}

TEST(BinaryF32, NanGoesThrough) {
  for (const BinaryF32& kernel : kBinaryF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    const float a[] = {NAN, 1}, b[] = {1, NAN};
    for (const Function& function : kFunctions) {
      float y[2];
      (kernel.set->*function.fn)({2, a, b, false, false, y, -1, 1});
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
    }
  }
}

// Row by row, the functions of a table of single ones are those of the sets.
template <typename Rows, typename Ones, typename Fn>
void CheckOnes(const Rows& rows, const Ones& ones, Fn fn) {
  ASSERT_EQ(std::size(ones), std::size(rows));
  for (size_t i = 0; i < std::size(rows); ++i) {
    SCOPED_TRACE(ones[i].name);
    RunsHere(ones[i]);  // in the tests of the set, as the function is the same
    EXPECT_EQ(ones[i].isa, rows[i].isa);
    EXPECT_EQ(ones[i].set->run, rows[i].set->*fn);
  }
}

TEST(BinaryOnes, AreThoseOfTheWholeSets) {
  CheckOnes(kBinaryF32, kBinaryAddF32, &BinaryF32Set::add);
  CheckOnes(kBinaryF32, kBinarySubtractF32, &BinaryF32Set::subtract);
  CheckOnes(kBinaryF16, kBinaryAddF16, &BinaryF16Set::add);
}

}  // namespace
}  // namespace mace::cpu
