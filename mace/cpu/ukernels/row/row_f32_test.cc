// Every row micro-kernel that this CPU can run, against the definitions in
// double.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

constexpr float kGuard = 77;

// `run` writes n floats, which must equal want(i) within 4e-6 of it, or of 1 if
// it is smaller.
template <typename Run, typename Want>
void Check(size_t n, const Run& run, const Want& want) {
  std::vector<float> y(n + 1, kGuard);
  run(y.data());
  for (size_t i = 0; i < n; ++i) {
    const double w = want(i);
    ASSERT_NEAR(y[i], w, 4e-6 * std::fmax(1, std::fabs(w)))
        << "element " << i << " of " << n;
  }
  ASSERT_EQ(y[n], kGuard) << "wrote behind the end";
}

void CheckArithmetic(const RowF32Set& set, size_t n) {
  const auto x = RandomFloats(n, -2, 2), a = RandomFloats(n + 4, 0, 1);
  const auto b = RandomFloats(n, -1, 1);
  Check(
      n,
      [&](float* y) {
        set.affine({n, x.data(), a.data(), b.data(), -0.5f, 1.5f, y});
      },
      [&](size_t i) {
        return std::clamp(double{x[i]} * a[i] + b[i], -0.5, 1.5);
      });
  Check(
      n, [&](float* y) { set.prelu({n, x.data(), b.data(), y}); },
      [&](size_t i) { return x[i] < 0 ? double{b[i]} * x[i] : x[i]; });
  Check(
      n,
      [&](float* y) {
        set.mix({n,
                 {x.data(), a.data(), b.data(), x.data()},
                 {0.5f, -1, 2, 0.25f},
                 y});
      },
      [&](size_t i) { return 0.75 * x[i] - double{a[i]} + 2. * b[i]; });
  for (const bool three_quarters : {false, true}) {
    Check(
        n,
        [&](float* y) {
          set.lrn({n, x.data(), a.data(), 5, 2, 0.3f, three_quarters, y});
        },
        [&](size_t i) {
          double sum = 0;
          for (size_t k = i; k < i + 5; ++k) sum += a[k];
          return x[i] /
                 std::pow(2 + double{0.3f} * sum, three_quarters ? 0.75 : 0.5);
        });
  }
  Check(
      n, [&](float* y) { set.exp({n, x.data(), y}); },
      [&](size_t i) { return std::exp(double{x[i]}); });
}

void CheckLayerNorm(const RowF32Set& set, size_t n) {
  const auto x = RandomFloats(n, 4, 6), a = RandomFloats(n, -2, 2);
  const auto b = RandomFloats(n, -1, 1);
  for (const bool centered : {false, true}) {
    double mean = 0, variance = 0;
    for (const float v : x) mean += v / static_cast<double>(n);
    if (!centered) mean = 0;
    for (const float v : x) {
      variance += (v - mean) * (v - mean) / static_cast<double>(n);
    }
    for (const bool has_scale : {false, true}) {
      for (const bool has_offset : {false, true}) {
        Check(
            n,
            [&](float* y) {
              set.layer_norm({n, x.data(), has_scale ? a.data() : nullptr,
                              has_offset ? b.data() : nullptr, centered, 0.25,
                              y});
            },
            [&](size_t i) {
              return (x[i] - mean) / std::sqrt(variance + 0.25) *
                         (has_scale ? a[i] : 1) +
                     (has_offset ? b[i] : 0);
            });
      }
    }
  }
}

void CheckTurn(const RowF32Set& set, size_t n) {
  const auto x = RandomFloats(2 * n, -2, 2), angles = RandomFloats(4 * n);
  const float *cos = angles.data(), *sin = cos + 2 * n;
  for (const size_t second : {size_t{0}, n}) {
    const auto want = [&](size_t i) {
      const size_t k = i % n, at = i < n ? k : k + second;
      return i < n ? double{x[k]} * cos[at] - double{x[k + n]} * sin[at]
                   : double{x[k + n]} * cos[at] + double{x[k]} * sin[at];
    };
    const auto step = static_cast<ptrdiff_t>(second);
    const auto turn = [&](float* y) {
      set.turn({n, x.data(), cos, sin, step, y});
    };
    Check(2 * n, turn, want);
    const auto in_place = [&](float* y) {
      std::copy(x.begin(), x.end(), y);
      set.turn({n, y, cos, sin, step, y});
    };
    Check(2 * n, in_place, want);
  }
}

void CheckTileOfSoftmax(const RowF32Set& set, size_t n) {
  const auto x = RandomFloats(n, -3, 3);
  const float largest = *std::max_element(x.begin(), x.end());
  EXPECT_EQ(set.largest(n, x.data(), -9), largest);
  EXPECT_EQ(set.largest(n, x.data(), 9), 9);
  float sum = 0;
  double want = 0;
  Check(
      n,
      [&](float* y) {
        std::copy(x.begin(), x.end(), y);
        y[n / 2] = -INFINITY;
        sum = set.exp_sum(n, y, 4);
      },
      [&](size_t i) {
        const double e = i == n / 2 ? 0 : std::exp(double{x[i]} - 4);
        want += e;
        return e;
      });
  EXPECT_NEAR(sum, want, 4e-6);
}

// Returns element i of the softmax of `count` elements, `stride` apart, from x
// on.
double Softmax(const float* x, size_t count, size_t stride, size_t i,
               bool use_log) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k) sum += std::exp(double{x[k * stride]});
  const double log = x[i * stride] - std::log(sum);
  return use_log ? log : std::exp(log);
}

void CheckSoftmax(const SoftmaxF32Set& set, size_t n, bool use_log) {
  if (n >= 16) {
    const auto x = RandomFloats(n, -3, 3);
    Check(
        n, [&](float* y) { set.row({n, x.data(), use_log, y}); },
        [&](size_t i) { return Softmax(x.data(), n, 1, i, use_log); });
  }
  const size_t elements = 5, stride = n;
  const auto x = RandomFloats(elements * stride, -3, 3);
  Check(
      elements * stride,
      [&](float* y) {
        set.columns({elements, n, static_cast<ptrdiff_t>(stride), x.data(),
                     use_log, y});
      },
      [&](size_t i) {
        return Softmax(x.data() + i % stride, elements, stride, i / stride,
                       use_log);
      });
}

TEST(RowF32, EveryTail) {
  for (const RowF32& kernel : kRowF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (size_t n = 1; n <= 70; ++n) {
      CheckArithmetic(*kernel.set, n);
      CheckLayerNorm(*kernel.set, n);
      CheckTurn(*kernel.set, n);
      CheckTileOfSoftmax(*kernel.set, n);
    }
  }
}

TEST(SoftmaxF32, EveryTail) {
  for (const SoftmaxRowF32& kernel : kSoftmaxF32) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (size_t n = 1; n <= 70; ++n) {
      for (const bool use_log : {false, true}) {
        CheckSoftmax(*kernel.set, n, use_log);
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
