// The matrix that transforms the taps of a 3x3 filter to Winograd's domain.
// SPDX-License-Identifier: Apache-2.0
//
// This is G of winograd_f32_points.h. TransformFilters (winograd_f32_tile.h)
// multiplies by it, and winograd_direct.cc finds taps in a transformed filter
// with it: row 0 has only tap 0, rows 1 and 2 differ only in the sign of tap 1,
// the last row is tap 2.
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_

#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

// Row i evaluates a line of taps, as coefficients of 1, x and x^2, at point i,
// and divides by the product of the distances between this point and the
// others. The division is here rather than in the transform of inputs, since
// filters are transformed once, when a model is prepared.
template <int kPairs>
struct WinogradFilterRows {
  float row[2 * kPairs + 2][3] = {};
};

// Returns the rows, computed in double precision and rounded to float once.
template <int kPairs>
constexpr WinogradFilterRows<kPairs> MakeWinogradFilterRows() {
  constexpr WinogradPoints<kPairs> kPoints = kWinogradPoints<kPairs>;
  WinogradFilterRows<kPairs> rows;
  // Point 0: (1, 0, 0) over the product of 0 - q^2 over all pairs q.
  rows.row[0][0] = static_cast<float>(1. / kPoints.all[0]);
  for (int p = 0; p < kPairs; ++p) {
    // The product of the distances to 0 and to the opposite point, x * 2x, and
    // to other pairs. It is the same for -x, whose distances to these two have
    // the opposite signs.
    const double x = kPoints.pair[p];
    double distances = 2 * x * x;
    for (int q = 0; q < kPairs; ++q) {
      const double y = kPoints.pair[q];
      if (q != p) distances *= x * x - y * y;
    }
    const double powers[3] = {1, x, x * x};
    for (int k = 0; k < 3; ++k) {
      const double value = powers[k] / distances;
      rows.row[2 * p + 1][k] = static_cast<float>(value);
      rows.row[2 * p + 2][k] = static_cast<float>(k == 1 ? -value : value);
    }
  }
  // Infinity: the coefficient of the highest power.
  rows.row[2 * kPairs + 1][2] = 1;
  return rows;
}

template <int kPairs>
constexpr WinogradFilterRows<kPairs> kWinogradFilterRows =
    MakeWinogradFilterRows<kPairs>();

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_
