// Every micro-kernel that multiplies and makes codes of the sums at once,
// compared with TFLite's arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/quantized/fixed_point.h"
#include "mace/cpu/ukernels/gemm_q8/gemm_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Range {
  int32_t zero_point, least, most;
};
constexpr Range kRanges[] = {{-128, -128, 127}, {127, -128, 127}, {3, 3, 90},
                             {0, 0, 255},       {255, 0, 255},    {7, 7, 200},
                             {-5, -128, -6},    {9, 20, 10}};

// Tiles of a micro-kernel, one after the other.
class Tiles {
 public:
  // The factor of column j is below 2^(exponent + j % exponents).
  Tiles(const GemmQ8& row, const Range& range, size_t tiles, size_t depth,
        int exponent, int exponents)
      : row_(row),
        range_(range),
        tiles_(tiles),
        depth_((depth + row.step - 1) / row.step * row.step) {
    const size_t line = std::max(row.line, row.step);
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
    row_.codes({tiles_, depth_, a_.data(), static_cast<ptrdiff_t>(a_stride_),
                b_.data(), start_.data(), mantissa_.data(), left_.data(),
                right_.data(), range_.zero_point, range_.least, range_.most,
                got.data(), static_cast<ptrdiff_t>(stride)});
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
    const size_t line = row_.line, group = row_.group;
    const uint8_t* tile = a_.data() + i / row_.mr * a_stride_;
    int32_t sum = start_[j];
    for (size_t k = 0; k < depth_; ++k) {
      const uint8_t a =
          tile[(k / line * row_.mr + i % row_.mr) * line + k % line];
      const int8_t b = b_[(k / group * row_.nr + j) * group + k % group];
      sum += (row_.reads_unsigned ? a : static_cast<int8_t>(a)) * b;
    }
    int64_t code = int64_t{Scale(sum, factors_[j])} + range_.zero_point;
    code =
        std::min<int64_t>(std::max<int64_t>(code, range_.least), range_.most);
    return static_cast<uint8_t>(code);
  }

  const GemmQ8& row_;
  const Range range_;
  const size_t tiles_, depth_;
  int64_t a_stride_ = 0;
  std::minstd_rand random_{11};
  std::vector<uint8_t> a_;
  std::vector<int8_t> b_;
  std::vector<FixedFactor> factors_;
  std::vector<int32_t> start_, mantissa_, left_, right_;
};

TEST(GemmCodesQ8, EveryFactorAndRange) {
  for (const GemmQ8& row : kGemmQ8) {
    if (!RunsHere(row) || row.codes == nullptr) continue;
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.a_bytes, 1);
    for (const Range& range : kRanges) {
      for (int exponent = -row.max_right; exponent <= 4; ++exponent) {
        for (const int exponents : {1, 4}) {
          if (exponent + exponents > 5) continue;
          SCOPED_TRACE(std::to_string(exponent) + " " +
                       std::to_string(exponents));
          Tiles(row, range, 2, 16, exponent, exponents).Check();
        }
      }
    }
  }
}

TEST(GemmCodesQ8, EveryDepth) {
  for (const GemmQ8& row : kGemmQ8) {
    if (!RunsHere(row) || row.codes == nullptr) continue;
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
