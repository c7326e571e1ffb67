// Every micro-kernel that requantizes sums, or multiplies and does so at
// once, compared with TFLite's arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/quantized/fixed_point.h"
#include "mace/cpu/quantized/stage_q8.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
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
                             static_cast<ptrdiff_t>(stride_),
                             nullptr};
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

// Models may have scales for which sums do not stay within 32 bits.
TEST(StageQ8, HasAMicroKernelForEveryFactor) {
  for (const int exponent : {-31, -8, 0, 8, 12, 20, 31, 32, 33, 256, 1100}) {
    SCOPED_TRACE(exponent);
    const FixedFactor factor = {(1 << 30) + 12345, exponent};
    auto data =
        AlignedBuffer::Create(static_cast<size_t>(StageQ8::Bytes(1)), "test");
    ASSERT_TRUE(data.ok());
    StageQ8::Clear(1, data->data());
    OutputStage output;
    output.range = {-128, 127};
    output.factors = {factor};
    StageQ8::Pack(1, 0, output, 0, {0, 1 << 20}, data->data());
    const StageQ8 stage(output, 1, data->data(), DetectCpuFeatures());
    std::vector<int32_t> sums(64);
    for (const int32_t sum : {0, 1, -1, 4097, -(1 << 20), 1 << 20}) {
      sums[0] = sum;
      uint8_t value = 0;
      stage.Run(stage.Micro(), {1, 1, 0, sums.data(), 1, nullptr, &value, 1});
      EXPECT_EQ(static_cast<int8_t>(value),
                output.range.Clamp(Scale(sum, factor)))
          << sum;
    }
  }
}

// The product in double precision, and its nearest integer, ties away from
// zero.
TEST(RequantizeOnceQ8, RoundsOnce) {
  constexpr size_t kRows = 3, kMaxColumns = 67, kRoom = 128;
  std::minstd_rand random(5);
  std::uniform_real_distribution<double> uniform(0.5, 1);
  std::vector<int32_t> sums(kRows * kMaxColumns + kRoom);
  std::vector<double> multipliers(kRoom);
  int ties = 0;
  for (const RequantizeQ8& row : kRequantizeOnceQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const Range& range : kRanges) {
      for (size_t n = 1; n <= kMaxColumns; ++n) {
        for (size_t j = 0; j < n; ++j) {
          // Powers of two give ties, and numbers next to them nearly so.
          const double half = std::ldexp(0.5, -static_cast<int>(j % 20));
          multipliers[j] = j % 4 == 0 ? half
                           : j % 4 == 1
                               ? std::nextafter(half, j % 8 == 1 ? 0. : 1.)
                               : half * uniform(random);
        }
        for (int32_t& sum : sums) {
          sum = static_cast<int32_t>(random()) >> (random() % 24);
          sum = random() % 2 == 0 ? sum : -sum;
        }
        for (const bool adds : {false, true}) {
          const int32_t row_add[kRows] = {7, -1000, 65536};
          std::vector<uint8_t> got(kRows * kRoom, 99);
          row.fn({kRows, n, sums.data(), kMaxColumns, adds ? row_add : nullptr,
                  nullptr, nullptr, nullptr, range.zero_point, range.least,
                  range.most, got.data(), kRoom, multipliers.data()});
          for (size_t i = 0; i < kRows; ++i) {
            for (size_t j = 0; j < kRoom; ++j) {
              double want = 99;
              if (j < n) {
                const int32_t sum =
                    sums[i * kMaxColumns + j] + (adds ? row_add[i] : 0);
                const double real = sum * multipliers[j];
                ties += std::abs(real - std::trunc(real)) == 0.5 ? 1 : 0;
                want = std::round(real) + range.zero_point;
                want = std::min<double>(std::max<double>(want, range.least),
                                        range.most);
              }
              ASSERT_EQ(got[i * kRoom + j],
                        static_cast<uint8_t>(static_cast<int32_t>(want)))
                  << "sum " << sums[i * kMaxColumns + j] << " column " << j;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(ties, 1000);
}

// Tiles of a micro-kernel, one after the other.
class Tiles {
 public:
  // The factor of column j is below 2^(exponent + j % exponents).
  Tiles(const GemmUkernel& row, const Range& range, size_t tiles, size_t depth,
        int exponent, int exponents)
      : row_(row),
        range_(range),
        tiles_(tiles),
        depth_((depth + row.packing.k_pad - 1) / row.packing.k_pad *
               row.packing.k_pad) {
    const size_t line = std::max(row.packing.k_tile, row.packing.k_pad);
    a_stride_ = AlignUp(
        static_cast<int64_t>((depth_ + line - 1) / line * line * row.mr),
        kAlignment);
    a_.resize(static_cast<size_t>(a_stride_) * tiles + 64);
    b_.resize(depth_ * row.nr);
    for (uint8_t& x : a_) x = static_cast<uint8_t>(Random(0, 255));
    for (int8_t& x : b_) x = static_cast<int8_t>(Random(-128, 127));
    for (int j = 0; j < row.nr; ++j) {
      // Powers of two give ties.
      const double real =
          std::ldexp(j % 3 == 0 ? 0.5 : Random(600, 1000) / 1000.0,
                     exponent + j % exponents);
      factors_.push_back(ToFixed(real));
      mantissa_.push_back(factors_.back().mantissa);
      left_.push_back(std::max(factors_.back().exponent, 0));
      right_.push_back(std::max(-factors_.back().exponent, 0));
      start_.push_back(Random(-3000, 3000));
    }
  }

  void Check() {
    const size_t nr = row_.nr, stride = nr + 3, rows = tiles_ * row_.mr;
    std::vector<uint8_t> got(rows * stride, 99);
    row_.epilogue.fn({tiles_, depth_, a_.data(),
                      static_cast<ptrdiff_t>(a_stride_), b_.data(),
                      start_.data(), mantissa_.data(), left_.data(),
                      right_.data(), range_.zero_point, range_.least,
                      range_.most, got.data(), static_cast<ptrdiff_t>(stride)});
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < stride; ++j) {
        const int want = j < nr ? Want(i, j) : 99;
        ASSERT_EQ(int{got[i * stride + j]}, want)
            << "row " << i << " column " << j;
      }
    }
  }

 private:
  int32_t Random(int32_t least, int32_t most) {
    return std::uniform_int_distribution<int32_t>(least, most)(random_);
  }
  int Want(size_t i, size_t j) const {
    const size_t line = row_.packing.k_tile, group = row_.packing.group;
    const uint8_t* tile = a_.data() + i / row_.mr * a_stride_;
    int32_t sum = start_[j];
    for (size_t k = 0; k < depth_; ++k) {
      const uint8_t a =
          tile[(k / line * row_.mr + i % row_.mr) * line + k % line];
      const int8_t b = b_[(k / group * row_.nr + j) * group + k % group];
      sum += (row_.reads_unsigned() ? a : static_cast<int8_t>(a)) * b;
    }
    int64_t value = int64_t{Scale(sum, factors_[j])} + range_.zero_point;
    value =
        std::min<int64_t>(std::max<int64_t>(value, range_.least), range_.most);
    return static_cast<uint8_t>(value);
  }

  const GemmUkernel& row_;
  const Range range_;
  const size_t tiles_, depth_;
  int64_t a_stride_ = 0;
  std::minstd_rand random_{11};
  std::vector<uint8_t> a_;
  std::vector<int8_t> b_;
  std::vector<FixedFactor> factors_;
  std::vector<int32_t> start_, mantissa_, left_, right_;
};

TEST(GemmRequantizedQ8, EveryFactorAndRange) {
  int rows = 0;
  for (const GemmUkernel& row : kGemm) {
    if (row.epilogue.fn == nullptr || !RunsHere(row)) continue;
    ++rows;
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.a_bytes(), 1);
    for (const Range& range : kRanges) {
      for (int exponent = -row.epilogue.max_right; exponent <= 4; ++exponent) {
        for (const int exponents : {1, 4}) {
          if (exponent + exponents > 5) continue;
          SCOPED_TRACE(std::to_string(exponent) + " " +
                       std::to_string(exponents));
          Tiles(row, range, 2, 16, exponent, exponents).Check();
        }
      }
    }
  }
  if (rows == 0) {
    GTEST_SKIP() << "this CPU: no micro-kernel here quantizes at once";
  }
}

TEST(GemmRequantizedQ8, EveryDepth) {
  for (const GemmUkernel& row : kGemm) {
    if (row.epilogue.fn == nullptr || !RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t depth = 1; depth <= 200; depth += 3) {
      SCOPED_TRACE(depth);
      Tiles(row, kRanges[0], 1 + depth % 4, depth, -9, 1).Check();
      Tiles(row, kRanges[1], 1 + depth % 4, depth, -9, 1).Check();
    }
  }
}

}  // namespace
}  // namespace mace::cpu
