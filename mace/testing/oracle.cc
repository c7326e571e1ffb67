// Calls of Eigen.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/oracle.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace mace::testing {
namespace {

using Floats =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Doubles =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kMaxShown = 5;

Doubles Matrix(const float* data, int64_t rows, int64_t columns,
               bool transposed) {
  if (!transposed) {
    return Eigen::Map<const Floats>(data, rows, columns).cast<double>();
  }
  return Eigen::Map<const Floats>(data, columns, rows)
      .cast<double>()
      .transpose();
}

// The taps of a filter that is [OC, C, KH, KW], as C x OC.
Doubles Tap(const cpu::ConvShape& s, const float* w, int64_t tap) {
  const int64_t taps = s.window.h.kernel * s.window.w.kernel;
  Doubles matrix(s.in_channels, s.out_channels);
  for (int64_t o = 0; o < s.out_channels; ++o) {
    for (int64_t c = 0; c < s.in_channels; ++c) {
      matrix(c, o) = w[(o * s.in_channels + c) * taps + tap];
    }
  }
  return matrix;
}

// The pixels that a tap sees for a row of outputs; zeros outside the image.
Doubles Pixels(const cpu::ConvShape& s, const float* image, int64_t row,
               int64_t kh, int64_t kw) {
  const Window &h = s.window.h, &w = s.window.w;
  Doubles pixels = Doubles::Zero(w.out, s.in_channels);
  const int64_t y = row * h.stride + kh * h.dilation - h.pad_before;
  if (y < 0 || y >= h.in) return pixels;
  for (int64_t i = 0; i < w.out; ++i) {
    const int64_t x = i * w.stride + kw * w.dilation - w.pad_before;
    if (x < 0 || x >= w.in) continue;
    pixels.row(i) =
        Matrix(image + (y * w.in + x) * s.in_channels, 1, s.in_channels, false);
  }
  return pixels;
}

}  // namespace

std::vector<float> Sums::floats() const {
  return {values.begin(), values.end()};
}

Sums MatrixProduct(int64_t m, int64_t n, int64_t k, const float* a,
                   bool transpose_a, const float* b, bool transpose_b) {
  const Doubles left = Matrix(a, m, k, transpose_a);
  const Doubles right = Matrix(b, k, n, transpose_b);
  Sums sums;
  sums.values.resize(m * n);
  sums.magnitudes.resize(m * n);
  Eigen::Map<Doubles>(sums.values.data(), m, n) = left * right;
  Eigen::Map<Doubles>(sums.magnitudes.data(), m, n) =
      left.cwiseAbs() * right.cwiseAbs();
  return sums;
}

Sums Convolution(const cpu::ConvShape& s, const float* x, const float* w,
                 const float* b) {
  const Window &h = s.window.h, &wide = s.window.w;
  std::vector<Doubles> taps;
  for (int64_t tap = 0; tap < h.kernel * wide.kernel; ++tap) {
    taps.push_back(Tap(s, w, tap));
  }
  Sums sums;
  for (int64_t row = 0; row < s.batch * h.out; ++row) {
    const float* image = x + row / h.out * h.in * wide.in * s.in_channels;
    Doubles value = Doubles::Zero(wide.out, s.out_channels);
    if (b != nullptr) {
      value.rowwise() += Matrix(b, 1, s.out_channels, false).row(0);
    }
    Doubles magnitude = value.cwiseAbs();
    for (int64_t tap = 0; tap < h.kernel * wide.kernel; ++tap) {
      const Doubles pixels =
          Pixels(s, image, row % h.out, tap / wide.kernel, tap % wide.kernel);
      value += pixels * taps[tap];
      magnitude += pixels.cwiseAbs() * taps[tap].cwiseAbs();
    }
    sums.values.insert(sums.values.end(), value.data(),
                       value.data() + value.size());
    sums.magnitudes.insert(sums.magnitudes.end(), magnitude.data(),
                           magnitude.data() + magnitude.size());
  }
  return sums;
}

std::vector<float> SoftmaxOfRows(int64_t n, const std::vector<float>& x,
                                 bool use_log) {
  Doubles rows = Matrix(x.data(), static_cast<int64_t>(x.size()) / n, n, false);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    auto row = rows.row(i).array();
    row -= row.maxCoeff();
    const double sum = row.exp().sum();
    if (use_log) {
      row -= std::log(sum);
    } else {
      row = row.exp() / sum;
    }
  }
  return {rows.data(), rows.data() + rows.size()};
}

std::vector<float> LayerNormOfRows(int64_t n, const std::vector<float>& x,
                                   const std::vector<float>& scale,
                                   const std::vector<float>& offset,
                                   double epsilon) {
  Doubles rows = Matrix(x.data(), static_cast<int64_t>(x.size()) / n, n, false);
  const Doubles by = Matrix(scale.data(), 1, n, false);
  const Doubles plus = Matrix(offset.data(), 1, n, false);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    auto row = rows.row(i).array();
    row -= row.mean();
    row /= std::sqrt(row.square().mean() + epsilon);
    row = row * by.row(0).array() + plus.row(0).array();
  }
  return {rows.data(), rows.data() + rows.size()};
}

void ExpectRounded(const float* got, const Sums& want, int64_t k) {
  const double unit = std::ldexp(1.0, -24);
  const auto terms = static_cast<double>(k);
  const double roundings = std::min(terms, 8 * std::sqrt(terms)) + 4;
  int shown = 0;
  for (size_t i = 0; i < want.values.size() && shown < kMaxShown; ++i) {
    const double bound = roundings * unit * want.magnitudes[i];
    if (std::fabs(got[i] - want.values[i]) <= bound) continue;
    ADD_FAILURE() << "element " << i << ": got " << got[i] << ", want "
                  << want.values[i] << " within " << bound;
    ++shown;
  }
}

}  // namespace mace::testing
