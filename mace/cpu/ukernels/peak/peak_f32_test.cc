// Every set of peak micro-kernels that this CPU can run.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "mace/cpu/ukernels/peak/peak_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

TEST(PeakF32, DoesTheMultiplyAdds) {
  for (const PeakF32& kernel : kPeakF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    const float n = static_cast<float>(kernel.set->fmas_per_round);
    EXPECT_EQ(kernel.set->multiply_add(0, 2, 1), n);
    EXPECT_EQ(kernel.set->multiply_add(1, 2, 1), 3 * n);
    EXPECT_EQ(kernel.set->multiply_add(3, 2, 1), 15 * n);
  }
}

TEST(PeakF32, Triad) {
  for (const PeakF32& kernel : kPeakF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int n = 0; n < 40; ++n) {
      const auto a = RandomFloats(n), b = RandomFloats(n);
      std::vector<float> y(n + 1, 7);
      kernel.set->triad(n, a.data(), b.data(), 0.5f, y.data());
      for (int i = 0; i < n; ++i) ASSERT_NEAR(y[i], a[i] + b[i] / 2, 1e-6);
      ASSERT_EQ(y[n], 7) << "wrote behind the end";
    }
  }
}

TEST(PeakF32, Read) {
  for (const PeakF32& kernel : kPeakF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int n = 0; n < 150; ++n) {
      const std::vector<float> a(n, 0.5f);
      EXPECT_EQ(kernel.set->read(n, a.data()), 0.5f * static_cast<float>(n));
    }
  }
}

}  // namespace
}  // namespace mace::cpu
