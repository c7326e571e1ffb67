// Every micro-kernel that turns sums into codes, compared with TFLite's
// arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "mace/cpu/quantized/fixed_point.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Range {
  int32_t zero_point, least, most;
};
constexpr Range kRanges[] = {{-128, -128, 127}, {127, -128, 127}, {3, 3, 90},
                             {0, 0, 255},       {255, 0, 255},    {7, 7, 200},
                             {-5, -128, -6},    {9, 20, 10}};

class Rows {
 public:
  Rows(const RequantizeQ8& row, const Range& range, size_t m, size_t n,
       int exponent, bool row_add, int exponents = 1)
      : row_(row), range_(range), m_(m), n_(n) {
    const size_t padded = (n + kRequantizeQ8Columns - 1) /
                          kRequantizeQ8Columns * kRequantizeQ8Columns;
    stride_ = n + 3;
    sums_.resize(m * stride_ + padded);
    mantissa_.resize(padded);
    left_.resize(padded);
    right_.resize(padded);
    for (size_t i = 0; row_add && i < m; ++i) {
      row_add_.push_back(static_cast<int32_t>(1000 * i) - 77);
    }
    for (size_t j = 0; j < n; ++j) {
      // Powers of two give ties.
      const double real =
          std::ldexp(j % 3 == 0 ? 0.5 : Uniform(),
                     exponent + static_cast<int>(j) % exponents);
      const FixedFactor fixed = ToFixed(real);
      mantissa_[j] = fixed.mantissa;
      left_[j] = std::max(fixed.exponent, 0);
      right_[j] = std::max(-fixed.exponent, 0);
      for (size_t i = 0; i < m; ++i) {
        sums_[i * stride_ + j] = Sum(left_[j], right_[j]);
      }
    }
  }

  void Check() {
    std::vector<uint8_t> got(m_ * stride_, 99);
    RequantizeQ8Tile tile = {m_,
                             n_,
                             sums_.data(),
                             stride_,
                             row_add_.empty() ? nullptr : row_add_.data(),
                             mantissa_.data(),
                             left_.data(),
                             right_.data(),
                             range_.zero_point,
                             range_.least,
                             range_.most,
                             got.data(),
                             static_cast<ptrdiff_t>(stride_)};
    row_.fn(tile);
    Compare(got);
  }

 private:
  double Uniform() {
    return std::uniform_real_distribution<double>(0.5, 1)(random_);
  }
  // Of any size that the row takes, and often next to a tie.
  int32_t Sum(int left, int right) {
    const int bits = std::min(row_.bits, 31) - left - 1;
    const auto most = static_cast<int32_t>((int64_t{1} << bits) - 8000);
    const int kind = std::uniform_int_distribution<int>(0, 9)(random_);
    if (kind == 0) return -most;
    if (kind == 1) return most;
    const int32_t near = std::min(most, (1 << std::min(right + 8, 29)));
    const int32_t x =
        std::uniform_int_distribution<int32_t>(-near, near)(random_);
    return kind > 4 || right >= bits ? x : (x >> right) * (1 << right);
  }
  void Compare(const std::vector<uint8_t>& got) {
    for (size_t i = 0; i < m_; ++i) {
      for (size_t j = 0; j < stride_; ++j) {
        int64_t want = 99;
        const int32_t sum =
            sums_[i * stride_ + j] + (row_add_.empty() ? 0 : row_add_[i]);
        if (j < n_) {
          want = int64_t{Scale(sum, {mantissa_[j], left_[j] - right_[j]})} +
                 range_.zero_point;
          want = std::min<int64_t>(std::max<int64_t>(want, range_.least),
                                   range_.most);
        }
        ASSERT_EQ(got[i * stride_ + j], static_cast<uint8_t>(want))
            << "sum " << sum << " column " << j << " mantissa " << mantissa_[j]
            << " left " << left_[j] << " right " << right_[j];
      }
    }
  }

  const RequantizeQ8& row_;
  const Range range_;
  const size_t m_, n_;
  size_t stride_ = 0;
  std::minstd_rand random_{7};
  std::vector<int32_t> sums_, row_add_, mantissa_, left_, right_;
};

TEST(RequantizeQ8, EveryFactor) {
  for (const RequantizeQ8& row : kRequantizeQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const Range& range : kRanges) {
      for (int e = -row.max_right; e <= 8; ++e) {
        SCOPED_TRACE(e);
        Rows(row, range, 7, 130, e, e % 2 == 0).Check();
      }
    }
  }
}

// Adjacent columns are shifted by different numbers of bits.
TEST(RequantizeQ8, MixedFactors) {
  for (const RequantizeQ8& row : kRequantizeQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const Range& range : kRanges) {
      for (int e = -row.max_right; e <= 0; ++e) {
        for (int exponents = 2; exponents <= 9; ++exponents) {
          SCOPED_TRACE(std::to_string(e) + " " + std::to_string(exponents));
          Rows(row, range, 4, 80, e, false, exponents).Check();
        }
      }
    }
  }
}

TEST(RequantizeQ8, EverySize) {
  for (const RequantizeQ8& row : kRequantizeQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t m = 1; m <= 5; ++m) {
      for (size_t n = 1; n <= 70; ++n) {
        Rows(row, kRanges[0], m, n, -7, false).Check();
        Rows(row, kRanges[1], m, n, -7, false).Check();
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
