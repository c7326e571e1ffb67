// Every pooling micro-kernel that this CPU can run.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Sums {
  double max, sum, squares;
};

float Widen(float x) { return x; }
float Widen(uint16_t x) { return FromFp16(x); }
void Round(float x, float* to) { *to = x; }
void Round(float x, uint16_t* to) { *to = ToFp16(x); }

template <typename T>
std::vector<T> Rounded(const std::vector<float>& floats) {
  std::vector<T> values(floats.size());
  for (size_t i = 0; i < floats.size(); ++i) Round(floats[i], &values[i]);
  return values;
}

template <typename T>
Sums SumsOf(const std::vector<T>& x, int c, int channels, int rows, int columns,
            int row_floats) {
  Sums sums = {-INFINITY, 0, 0};
  for (int r = 0; r < rows; ++r) {
    for (int t = 0; t < columns; ++t) {
      const double v = Widen(x[r * row_floats + t * channels + c]);
      sums.max = std::fmax(sums.max, v);
      sums.sum += v;
      sums.squares += v * v;
    }
  }
  return sums;
}

// Two outputs are two columns apart, with a gap of one float between them.
template <typename T, size_t kRows>
void CheckTable(const PoolRow<T> (&table)[kRows], double tolerance, int rows,
                int columns, int outputs) {
  for (const PoolRow<T>& kernel : table) {
    if (!RunsHere(kernel)) continue;
    for (int channels = 1; channels <= 35; ++channels) {
      SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(channels));
      const int all_columns = columns + 2 * (outputs - 1);
      const int row_floats = (all_columns + 1) * channels;
      const std::vector<T> x = Rounded<T>(
          RandomFloats((rows - 1) * row_floats + all_columns * channels));
      std::vector<T> y(outputs * (channels + 1), 9);
      const PoolWindow<T> window = {static_cast<size_t>(channels),
                                    static_cast<size_t>(rows),
                                    static_cast<size_t>(columns),
                                    x.data(),
                                    row_floats,
                                    channels,
                                    y.data(),
                                    0.25f,
                                    -0.5f,
                                    0.75f,
                                    static_cast<size_t>(outputs),
                                    channels + 1};
      const auto check = [&](PoolFn<T>* fn, auto want) {
        fn(window);
        for (int i = 0; i < outputs * (channels + 1); ++i) {
          const int o = i / (channels + 1), c = i % (channels + 1);
          if (c == channels) {
            ASSERT_EQ(y[i], 9) << "wrote between outputs";
            continue;
          }
          const Sums s = SumsOf(x, c + 2 * o * channels, channels, rows,
                                columns, row_floats);
          ASSERT_NEAR(Widen(y[i]), std::fmin(std::fmax(want(s), -0.5), 0.75),
                      tolerance);
        }
      };
      check(kernel.max, [](const Sums& s) { return s.max; });
      check(kernel.mean, [](const Sums& s) { return s.sum / 4; });
      check(kernel.l2, [](const Sums& s) { return std::sqrt(s.squares / 4); });
    }
  }
}

// fp16 results have one rounding error, which is at most 2^-12 below 1.
void CheckEveryTail(int rows, int columns, int outputs = 1) {
  CheckTable(kPoolF32, 1e-6, rows, columns, outputs);
  CheckTable(kPoolF16, 0x1p-12 + 1e-6, rows, columns, outputs);
}

TEST(PoolF32, EveryTail) { CheckEveryTail(2, 3); }
TEST(PoolF32, EveryTailOfThreeByThree) { CheckEveryTail(3, 3); }
TEST(PoolF32, EveryTailOfPairs) { CheckEveryTail(3, 3, 2); }

}  // namespace
}  // namespace mace::cpu
