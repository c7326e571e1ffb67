// Every matrix-vector micro-kernel that this CPU can run.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

TEST(GemvF32, EverySize) {
  for (const GemvF32& kernel : kGemvF32) {
    if (!RunsHere(kernel)) continue;
    for (int n : {1, 3, 4, 9}) {
      for (int k = 1; k <= 70; ++k) {
        SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(k));
        const auto w = RandomFloats(n * k);
        const auto x = RandomFloats(k);
        const auto bias = RandomFloats(n);
        std::vector<float> y(n);
        kernel.fn({static_cast<size_t>(n), static_cast<size_t>(k), w.data(),
                   x.data(), k % 2 ? bias.data() : nullptr, y.data(), -1, 1});
        for (int i = 0; i < n; ++i) {
          double want = k % 2 ? bias[i] : 0;
          for (int j = 0; j < k; ++j) want += double{w[i * k + j]} * x[j];
          ASSERT_NEAR(y[i], std::fmin(std::fmax(want, -1), 1), 1e-5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
