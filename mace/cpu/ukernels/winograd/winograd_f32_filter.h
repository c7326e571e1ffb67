// The matrix that transforms the taps of a 3x3 filter to Winograd's domain.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_

#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

// Row i evaluates a line of taps at point i, divided by the product of the
// distances between this point and the others.
template <int kPairs>
struct WinogradFilterRows {
  float row[2 * kPairs + 2][3] = {};
};

template <int kPairs>
constexpr WinogradFilterRows<kPairs> MakeWinogradFilterRows() {
  constexpr WinogradPoints<kPairs> kPoints = kWinogradPoints<kPairs>;
  WinogradFilterRows<kPairs> rows;
  rows.row[0][0] = static_cast<float>(1. / kPoints.all[0]);
  for (int p = 0; p < kPairs; ++p) {
    // The product of the distances to 0, to the opposite point, and to other
    // pairs.
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
  rows.row[2 * kPairs + 1][2] = 1;
  return rows;
}

template <int kPairs>
constexpr WinogradFilterRows<kPairs> kWinogradFilterRows =
    MakeWinogradFilterRows<kPairs>();

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_FILTER_H_
