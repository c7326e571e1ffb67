// The points at which Winograd's convolution F(M, 3) evaluates polynomials.
// SPDX-License-Identifier: Apache-2.0
//
// M = 2 * kPairs outputs need M + 2 points: 0, pairs of +p and -p, infinity.
// The error of a layer relative to its largest output, with the pairs below:
// of one with 256 channels, and the bound that winograd_test holds.
//
//   F(2, 3)  1             4e-7   1e-6
//   F(4, 3)  3/4, 3/2      2e-6   5e-6   (1, 2: 7e-6)
//   F(6, 3)  1/2, 1, 2     1e-5   2e-5
//
// All squares and their products are exact in f32. Source: Lavin and Gray, Fast
// Algorithms for Convolutional Neural Networks (2015); Barabasz et al., Error
// Analysis and Improving the Accuracy of Winograd Convolution (2020).
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_

namespace mace::cpu {
namespace {

template <int kPairs>
struct WinogradPoints {
  float pair[kPairs] = {};
  // Coefficients of x^2j in the product of (x^2 - q^2) over all pairs q.
  float all[kPairs + 1] = {};
  // The same without pair p.
  float without[kPairs][kPairs] = {};
};

template <int kPairs>
constexpr WinogradPoints<kPairs> MakeWinogradPoints() {
  constexpr float kOf[3][3] = {{1}, {0.75f, 1.5f}, {0.5f, 1, 2}};
  WinogradPoints<kPairs> points;
  for (int p = 0; p < kPairs; ++p) points.pair[p] = kOf[kPairs - 1][p];
  // skip == kPairs: skips none
  for (int skip = 0; skip <= kPairs; ++skip) {
    float c[kPairs + 1] = {1};
    int degree = 0;
    for (int q = 0; q < kPairs; ++q) {
      if (q == skip) continue;
      const float square = points.pair[q] * points.pair[q];
      ++degree;
      for (int j = degree; j > 0; --j) c[j] = c[j - 1] - square * c[j];
      c[0] *= -square;
    }
    for (int j = 0; j <= degree; ++j) {
      (skip < kPairs
           ? points.without[skip < kPairs ? skip : 0][j < kPairs ? j : 0]
           : points.all[j]) = c[j];
    }
  }
  return points;
}

template <int kPairs>
constexpr WinogradPoints<kPairs> kWinogradPoints = MakeWinogradPoints<kPairs>();

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_
