// The points at which Winograd's convolution F(M, 3) evaluates polynomials.
// SPDX-License-Identifier: Apache-2.0
//
// M = 2 * kPairs outputs need M + 2 points: 0, pairs of +p and -p, infinity.
// The more points, the larger the numbers in between and the error. The table
// has the pairs, the error of a layer with 256 channels relative to its largest
// output, as measured, and the bound that winograd_test checks:
//
//   F(2, 3)  1             4e-7   1e-6
//   F(4, 3)  3/4, 3/2      2e-6   5e-6   (with 1, 2: 7e-6)
//   F(6, 3)  1/2, 1, 2     1e-5   2e-5
//
// All squares and their products are exact in f32. Source: Lavin and Gray, Fast
// Algorithms for Convolutional Neural Networks (2015); Barabasz et al., Error
// Analysis and Improving the Accuracy of Winograd Convolution (2020).
//
// Elements of a transformed line have the order of their points:
//
//   element   point
//   0         0
//   2p + 1    +pair[p]
//   2p + 2    -pair[p]
//   M + 1     infinity
//
// Points come in pairs, because the sums of the even and of the odd powers of p
// are computed once for both: even + odd is the value at +p, even - odd that at
// -p.
//
// A convolution of M outputs and 3 taps is the transposed multiplication of a
// polynomial of M coefficients by one of 3, whose product has M + 2
// coefficients: as many as there are points (Toom and Cook). With N_i the
// product of x_i - x_j over all other finite points j,
//
//   G   row i     (1, x_i, x_i^2) / N_i          infinity: (0, 0, 1)
//   A'  column i  (1, x_i, ..., x_i^(M-1))       infinity: (0, ..., 0, 1)
//   B'  row i     the coefficients of the product of (x - x_j) over all other
//                 finite points j
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_

namespace mace::cpu {
namespace {

// The points, and the products from which TransformInput takes its factors. The
// products have only even powers; TransformInput applies the factors (x - p),
// (x + p) and x.
template <int kPairs>
struct WinogradPoints {
  float pair[kPairs] = {};
  // all[j]: the coefficient of x^2j in the product of (x^2 - q^2) over all
  // pairs q. all[kPairs] is 1.
  float all[kPairs + 1] = {};
  // without[p][j]: the same without pair p. without[p][kPairs - 1] is 1.
  float without[kPairs][kPairs] = {};
};

template <int kPairs>
constexpr WinogradPoints<kPairs> MakeWinogradPoints() {
  // kOf[kPairs - 1] has the pairs of F(2 * kPairs, 3).
  constexpr float kOf[3][3] = {{1}, {0.75f, 1.5f}, {0.5f, 1, 2}};
  WinogradPoints<kPairs> points;
  for (int p = 0; p < kPairs; ++p) points.pair[p] = kOf[kPairs - 1][p];
  // One product for each pair that is left out; skip == kPairs: none is.
  for (int skip = 0; skip <= kPairs; ++skip) {
    float c[kPairs + 1] = {1};
    int degree = 0;
    for (int q = 0; q < kPairs; ++q) {
      if (q == skip) continue;
      const float square = points.pair[q] * points.pair[q];
      ++degree;
      // Multiplies by x^2 - square, from the highest power down, in place.
      for (int j = degree; j > 0; --j) c[j] = c[j - 1] - square * c[j];
      c[0] *= -square;
    }
    for (int j = 0; j <= degree; ++j) {
      // The conditions on the right only keep indices within their arrays.
      (skip < kPairs
           ? points.without[skip < kPairs ? skip : 0][j < kPairs ? j : 0]
           : points.all[j]) = c[j];
    }
  }
  return points;
}

// Computed by the compiler: in the transforms, factors are constants.
template <int kPairs>
constexpr WinogradPoints<kPairs> kWinogradPoints = MakeWinogradPoints<kPairs>();

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_POINTS_H_
